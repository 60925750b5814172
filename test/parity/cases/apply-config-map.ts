import type { Case, Step } from "../case.ts";
import { changed, sequence } from "./sequence.ts";
import { apply, configMaps, create, jsonPatch, merge, read, strategic, update } from "./steps.ts";

const map = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", ...metadata },
  data,
});
const finalized = (...finalizers: string[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", finalizers },
});
const managedBy = (manager: string, apiVersion: string) => [
  {
    manager,
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { "f:x": {} } },
  },
];
const mapPath = `${configMaps}/m`;
const onMap = (manager: string, data: object, force?: boolean): Step =>
  apply(mapPath, map(data), force === undefined ? { manager } : { manager, force });

const lastApplied = (data: object) =>
  `${JSON.stringify({ apiVersion: "v1", data, kind: "ConfigMap", metadata: { name: "m", namespace: "{ns}" } })}\n`;
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
/** ConfigMaps, with all kinds of writes and managers. */
export const configMapCases: readonly Case[] = [
  sequence("configmap creates", onMap("a", { x: "1" })),
  sequence("configmap shares", onMap("a", { x: "1" }), onMap("b", { y: "2" }), onMap("a", {})),
  sequence("configmap conflict", onMap("a", { x: "1" }), onMap("b", { x: "2" })),
  sequence(
    "configmap force",
    onMap("a", { x: "1" }),
    onMap("b", { x: "2" }, true),
    onMap("a", { x: "3" }),
  ),
  sequence(
    "configmap created then applied",
    create(configMaps, map({ x: "1", y: "2" }), { manager: "c" }),
    onMap("a", { x: "1" }),
    onMap("a", { x: "2" }),
    onMap("a", { y: "3" }, true),
  ),
  sequence(
    "configmap put by another",
    onMap("a", { x: "1", y: "2" }),
    update(
      mapPath,
      changed(0, (object) => {
        object.data = { x: "9", z: "3" };
      }),
      { manager: "u" },
    ),
    onMap("a", { x: "1" }),
    onMap("a", { z: "3" }),
  ),
  sequence(
    "configmap put without managed fields",
    onMap("a", { x: "1" }),
    update(mapPath, map({ x: "2" }), { manager: "u" }),
  ),
  sequence(
    "configmap put that changes nothing",
    onMap("a", { x: "1" }),
    update(
      mapPath,
      changed(0, () => undefined),
      { manager: "u" },
    ),
    read(mapPath),
  ),
  sequence(
    "configmap put with reset managed fields",
    onMap("a", { x: "1" }),
    update(
      mapPath,
      changed(0, (object) => {
        object.metadata["managedFields"] = [{}];
        object.data["y"] = "2";
      }),
      { manager: "u" },
    ),
  ),
  sequence(
    "configmap default manager is the user agent",
    create(configMaps, map({ x: "1" })),
    merge(mapPath, { data: { y: "2" } }),
  ),
  sequence(
    "configmap long manager",
    onMap("m".repeat(128), { x: "1" }),
    onMap("m".repeat(129), { x: "1" }),
  ),
  sequence("configmap manager with odd letters", onMap('o"d<d>\n', { x: "1" })),
  sequence(
    "configmap strategic patch",
    onMap("a", { x: "1", y: "2" }),
    strategic(mapPath, { data: { x: "3", y: null } }, { manager: "s" }),
  ),
  sequence(
    "configmap json patch",
    onMap("a", { x: "1", y: "2" }),
    jsonPatch(
      mapPath,
      [
        { op: "remove", path: "/data/y" },
        { op: "add", path: "/data/z", value: "1" },
      ],
      { manager: "j" },
    ),
  ),
  sequence(
    "configmap kubectl takes over its annotation",
    create(
      configMaps,
      map({ x: "1", y: "2" }, { annotations: { [annotation]: lastApplied({ x: "1", y: "2" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "2", y: "2" }),
    onMap("kubectl", { x: "2" }),
  ),
  sequence(
    "configmap another manager does not take over",
    create(
      configMaps,
      map({ x: "1" }, { annotations: { [annotation]: lastApplied({ x: "1" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("other", { x: "2" }),
  ),
  sequence(
    "configmap annotation is stale",
    create(
      configMaps,
      map({ x: "1", y: "2" }, { annotations: { [annotation]: lastApplied({ x: "0", y: "2" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "3", y: "3" }),
  ),
  sequence(
    "configmap annotation is kept up to date",
    create(
      configMaps,
      map({ x: "<1>" }, { annotations: { [annotation]: lastApplied({ x: "<1>" }) } }),
      { manager: "kubectl-client-side-apply" },
    ),
    onMap("kubectl", { x: "<2>", a: "&" }),
  ),
  sequence(
    "configmap annotation is broken",
    create(configMaps, map({ x: "1" }, { annotations: { [annotation]: "{" } }), {
      manager: "kubectl-client-side-apply",
    }),
    onMap("kubectl", { x: "2" }),
  ),
  sequence(
    "configmap before first apply",
    create(configMaps, map({ x: "1" }), { manager: "c" }),
    merge(mapPath, { metadata: { managedFields: [{}] } }, { manager: "c" }),
    onMap("a", { x: "2" }),
    onMap("a", { y: "2" }),
    read(mapPath),
  ),
  sequence(
    "configmap ancient changes",
    onMap("first", { x: "0" }),
    ...Array.from({ length: 12 }, (_, index) =>
      merge(mapPath, { data: { [`k${index}`]: "1" } }, { manager: `u${index}` }),
    ),
    onMap("last", { k0: "2" }),
  ),
  sequence(
    "configmap ancient changes over time",
    onMap("first", { x: "0" }),
    ...Array.from({ length: 12 }, (_, index) =>
      merge(
        mapPath,
        { data: { [`k${index}`]: "1" } },
        { manager: `u${11 - index}`, ...(index % 4 === 3 ? { waitSeconds: 1.1 } : {}) },
      ),
    ),
  ),
  sequence(
    "configmap times",
    onMap("a", { x: "1" }),
    { ...onMap("b", { x: "1" }), waitSeconds: 1.1 },
    { ...onMap("a", { x: "1" }), waitSeconds: 1.1 },
    merge(mapPath, { data: { x: "1" } }, { manager: "m" }),
    merge(mapPath, { data: { x: "2" } }, { manager: "m" }),
    merge(mapPath, { data: { y: "2" } }, { manager: "m", waitSeconds: 1.1 }),
  ),
  sequence(
    "configmap dry run",
    onMap("a", { x: "1" }),
    apply(mapPath, map({ x: "2" }), { manager: "a", query: "dryRun=All" }),
    read(mapPath),
  ),
  sequence("configmap unknown field", apply(mapPath, { ...map({}), nine: 1 }, { manager: "a" })),
  sequence("configmap wrong type", onMap("a", { x: 1 })),
  sequence(
    "configmap duplicate key strict",
    apply(mapPath, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {x: a, x: b}\n", {
      manager: "a",
      query: "fieldValidation=Strict",
    }),
  ),
  sequence(
    "configmap duplicate key",
    apply(mapPath, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {x: a, x: b}\n", {
      manager: "a",
    }),
  ),
  sequence(
    "configmap immutable",
    apply(mapPath, { ...map({ x: "1" }), immutable: true }, { manager: "a" }),
    onMap("a", { x: "2" }),
  ),
  sequence(
    "configmap finalizers",
    apply(mapPath, finalized("x.io/a", "x.io/b"), { manager: "a" }),
    apply(mapPath, finalized("x.io/c", "x.io/b"), { manager: "b" }),
    apply(mapPath, finalized("x.io/a"), { manager: "a" }),
  ),
  sequence(
    "configmap managed fields set empty",
    onMap("a", { x: "1" }),
    merge(mapPath, { metadata: { managedFields: [] } }, { manager: "m" }),
    merge(mapPath, { data: { y: "1" } }, { manager: "m" }),
    onMap("b", { y: "2" }),
  ),
  sequence(
    "configmap obsolete version",
    onMap("a", { x: "1" }),
    merge(mapPath, { metadata: { managedFields: managedBy("h", "v0") } }, { manager: "m" }),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap obsolete version beside another",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        metadata: { managedFields: [...managedBy("g", "v1"), ...managedBy("h", "example.com/v1")] },
      },
      { manager: "m" },
    ),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap unreadable managed fields",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        data: { y: "1" },
        metadata: { managedFields: [{ ...managedBy("h", "v1")[0], fieldsV1: { x: {} } }] },
      },
      { manager: "m" },
    ),
    onMap("b", { x: "2" }),
  ),
  sequence(
    "configmap odd managed fields",
    onMap("a", { x: "1" }),
    merge(
      mapPath,
      {
        metadata: {
          managedFields: [
            {
              ...managedBy("h", "v1")[0],
              fieldsV1: { "f:data": { ".": {}, "r:x": {}, 'v:"z"': {}, "i:1": {} } },
            },
          ],
        },
      },
      { manager: "m" },
    ),
    onMap("b", { y: "2" }),
  ),
  sequence("configmap empty map conflicts", onMap("a", {}), onMap("b", {})),
  sequence(
    "configmap deleted by applying",
    onMap("a", { x: "1" }),
    { method: "DELETE", path: mapPath },
    onMap("a", { x: "2" }),
  ),
];
