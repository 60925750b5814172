import type { Area, Case, Step } from "../case.ts";
import { shapes } from "./apply-widget-shapes.ts";
import { by, path, widget } from "./apply-widget-steps.ts";
import { Seeded } from "./seeded.ts";
import { sequence } from "./sequence.ts";
import { apply, create, merge, read, widgets, widgetsV2 } from "./steps.ts";
import { widgetFixtures, widgetPaths } from "./widget.ts";

const asV2 = (body: object) => ({ ...body, apiVersion: "parity.example.com/v2" });

const chosen: readonly Case[] = [
  sequence("unknown field", by("a", { nine: 1 })),
  sequence("wrong scalar", by("a", { text: 1 })),
  sequence("wrong number", by("a", { number: "1" })),
  sequence("wrong boolean", by("a", { flag: "true" })),
  sequence("wrong map", by("a", { granular: "x" })),
  sequence("wrong list", by("a", { atomicList: "x" })),
  sequence("wrong list as map", by("a", { mapList: { name: "x" } })),
  sequence(
    "several errors in one list",
    by("a", { mapList: [{ name: "x", value: "1" }, { name: "x" }] }),
  ),
  sequence(
    "quotes in keys",
    by("a", {
      mapList: [{ name: 'x"<&>y' }],
      setList: ['a"<&>b', "\u2028é😀"],
      granular: { 'q"<': "1" },
    }),
    by("b", { mapList: [{ name: 'x"<&>y', value: 1 }] }),
    by("c", { mapList: [{ name: 'x"<&>y', value: 2 }] }),
  ),
  sequence(
    "proto keys",
    apply(
      path,
      '{"apiVersion":"parity.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"granular":{"__proto__":"1","constructor":"2"},"any":{"__proto__":{"x":1}}}}',
      { manager: "a" },
    ),
    by("a", { granular: { constructor: "2" } }),
  ),
  sequence(
    "sorting of keys",
    by("a", {
      granular: { b: "1", a: "2", B: "3", "10": "4", "9": "5", "\ue000": "6", "😀": "7" },
      numberSet: [10, 9, 100, -1],
    }),
  ),
  sequence("wrong kind", apply(path, { ...widget({}), kind: "Gadget" }, { manager: "a" })),
  sequence("wrong version", apply(path, asV2(widget({})), { manager: "a" })),
  sequence("wrong name", apply(path, { ...widget({}), metadata: { name: "x" } }, { manager: "a" })),
  sequence("no manager", apply(path, widget({}))),
  sequence("empty manager", apply(path, widget({}), { manager: "" })),
  sequence(
    "managed fields in the patch",
    apply(path, { ...widget({}), metadata: { name: "w", managedFields: [] } }, { manager: "a" }),
  ),
  sequence(
    "null managed fields in the patch",
    apply(path, { ...widget({}), metadata: { name: "w", managedFields: null } }, { manager: "a" }),
  ),
  sequence(
    "uid in the patch",
    apply(
      path,
      { ...widget({}), metadata: { name: "w", uid: "00000000-0000-0000-0000-000000000000" } },
      { manager: "a" },
    ),
  ),
  sequence(
    "stale resource version",
    by("a", { text: "t" }),
    apply(
      path,
      { ...widget({ text: "u" }), metadata: { name: "w", resourceVersion: "1" } },
      { manager: "a" },
    ),
  ),
  sequence(
    "yaml body",
    apply(
      path,
      "apiVersion: parity.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  text: yes please\n  number: 1\n",
      { manager: "a" },
    ),
  ),
  sequence(
    "labels and annotations",
    apply(
      path,
      {
        ...widget({}),
        metadata: {
          name: "w",
          labels: { a: "1" },
          annotations: { n: "1" },
          finalizers: ["x.io/a"],
        },
      },
      { manager: "a" },
    ),
    apply(
      path,
      { ...widget({}), metadata: { name: "w", labels: { b: "2" }, finalizers: ["x.io/b"] } },
      { manager: "b" },
    ),
    by("a", {}),
  ),
  sequence(
    "owner references",
    apply(
      path,
      {
        ...widget({}),
        metadata: {
          name: "w",
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "ConfigMap",
              name: "o",
              uid: "11111111-1111-1111-1111-111111111111",
            },
          ],
        },
      },
      { manager: "a" },
    ),
    by("a", {}),
  ),
  sequence(
    "two versions",
    by("a", { text: "t", mapList: [{ name: "x", value: 1 }] }),
    apply(`${widgetsV2}/w`, asV2(widget({ text: "u" })), { manager: "b" }),
    apply(`${widgetsV2}/w`, asV2(widget({ mapList: [{ name: "y" }] })), { manager: "b" }),
    apply(`${widgetsV2}/w`, asV2(widget({ number: 1 })), { manager: "a" }),
  ),
  sequence(
    "created, then applied",
    create(widgets, widget({ text: "t", granular: { x: "1" } }), { manager: "c" }),
    by("a", { text: "t" }),
    by("a", { text: "u" }),
    by("a", { text: "u" }, true),
  ),
  sequence(
    "patched, then applied",
    by("a", { text: "t" }),
    merge(path, { spec: { text: "u", number: 1 } }, { manager: "m" }),
    by("a", { text: "t" }),
    by("a", { number: 1 }),
  ),
  sequence(
    "a patch that changes nothing",
    by("a", { text: "t" }),
    merge(path, { spec: { text: "t" } }, { manager: "m" }),
    read(path),
  ),
  sequence(
    "a patch takes fields away",
    by("a", { text: "t", granular: { x: "1", y: "2" } }),
    merge(path, { spec: { granular: { x: null } } }, { manager: "m" }),
    by("a", { text: "t", granular: { x: "1", y: "2" } }),
  ),
  sequence(
    "a patch takes all away",
    by("a", { text: "t" }),
    merge(path, { spec: null }, { manager: "m" }),
    read(path),
  ),
  sequence(
    "status belongs to status",
    apply(path, widget({ text: "t" }, { status: { phase: "x" } }), { manager: "a" }),
    apply(
      `${path}/status`,
      widget(
        { text: "u" },
        { status: { phase: "y", conditions: [{ type: "A", status: "True" }] } },
      ),
      { manager: "s" },
    ),
    apply(`${path}/status`, widget({}, { status: { conditions: [{ type: "B" }] } }), {
      manager: "s",
    }),
  ),
  sequence(
    "status conflict",
    by("a", {}),
    apply(`${path}/status`, widget({}, { status: { phase: "x" } }), { manager: "s" }),
    apply(`${path}/status`, widget({}, { status: { phase: "y" } }), { manager: "t" }),
  ),
  sequence(
    "status by patch",
    by("a", { text: "t" }),
    merge(
      `${path}/status`,
      { status: { phase: "x" }, spec: { text: "u" }, metadata: { labels: { l: "1" } } },
      { manager: "s" },
    ),
  ),
  sequence(
    "scale takes replicas",
    by("a", { replicas: 1, text: "t" }),
    merge(`${path}/scale`, { spec: { replicas: 3 } }, { manager: "scaler" }),
    by("a", { replicas: 1, text: "t" }),
    by("a", { text: "t" }),
  ),
  sequence(
    "times",
    by("a", { text: "t" }),
    { ...by("b", { number: 1 }), waitSeconds: 1.1 },
    { ...by("a", { text: "t" }), waitSeconds: 1.1 },
    by("a", { text: "u" }),
  ),
  sequence(
    "managed fields are cleared",
    by("a", { text: "t" }),
    merge(path, { metadata: { managedFields: [{}] } }, { manager: "m" }),
    by("a", { text: "u" }),
  ),
  sequence(
    "managed fields set empty",
    by("a", { text: "t" }),
    merge(path, { metadata: { managedFields: [] } }, { manager: "m" }),
    merge(path, { spec: { number: 1 } }, { manager: "m" }),
    by("b", { number: 2 }),
  ),
  sequence(
    "managed fields set by hand",
    by("a", { text: "t" }),
    merge(
      path,
      {
        metadata: {
          managedFields: [
            {
              manager: "h",
              operation: "Update",
              apiVersion: "parity.example.com/v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:spec": { "f:text": {} } },
            },
          ],
        },
      },
      { manager: "m" },
    ),
    by("b", { text: "u" }),
  ),
  sequence(
    "invalid managed fields",
    by("a", { text: "t" }),
    merge(
      path,
      {
        metadata: {
          managedFields: [
            { manager: "h", operation: "Wrong", apiVersion: "v1", fieldsType: "FieldsV1" },
          ],
        },
      },
      { manager: "m" },
    ),
  ),
  sequence(
    "obsolete version",
    by("a", { text: "t" }),
    merge(
      path,
      {
        metadata: {
          managedFields: [
            {
              manager: "h",
              operation: "Apply",
              apiVersion: "parity.example.com/v0",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:spec": { "f:text": {} } },
            },
          ],
        },
      },
      { manager: "m" },
    ),
    by("b", { text: "u" }),
  ),
  sequence(
    "was granular before",
    by("a", { atomicMap: { x: "1" } }),
    merge(
      path,
      {
        metadata: {
          managedFields: [
            {
              manager: "h",
              operation: "Apply",
              apiVersion: "parity.example.com/v1",
              fieldsType: "FieldsV1",
              fieldsV1: {
                "f:spec": { "f:atomicMap": { "f:x": {} }, "f:atomicList": { 'v:"x"': {} } },
              },
            },
          ],
        },
      },
      { manager: "m" },
    ),
    by("b", { text: "t" }),
  ),
];

const managers = ["a", "b", "c"] as const;

function seededSpec(random: Seeded): object {
  const value = () => random.pick(["1", "2"]);
  const parts: (() => object)[] = [
    () => ({ text: value() }),
    () => ({
      granular: Object.fromEntries(random.some(["x", "y", "z"]).map((key) => [key, value()])),
    }),
    () => ({ atomicMap: Object.fromEntries(random.some(["x", "y"]).map((key) => [key, value()])) }),
    () => ({ setList: random.some(["p", "q", "r", "s"], 0.5, true) }),
    () => ({ atomicList: random.some(["p", "q"], 0.5) }),
    () => ({
      mapList: random.some(["k", "l", "m"], 0.5, true).map((name) => seededEntry(random, name)),
    }),
    () => ({
      twoKeys: random.some([1, 2], 0.6, true).map((port) => ({
        port,
        ...(random.chance(0.5) ? { protocol: random.pick(["TCP", "UDP"]) } : {}),
        ...(random.chance(0.5) ? { note: value() } : {}),
      })),
    }),
    () => ({
      struct: {
        ...(random.chance(0.5) ? { a: value() } : {}),
        ...(random.chance(0.5) ? { c: { d: value() } } : {}),
      },
    }),
    () => ({
      any: random.pick<unknown>([{ x: { y: value() } }, { x: [value()] }, { x: {} }, value()]),
    }),
  ];
  return Object.assign({}, ...random.some(parts, 0.45).map((part) => part()));
}

function seededEntry(random: Seeded, name: string): object {
  return {
    name,
    ...(random.chance(0.5) ? { value: random.below(2) } : {}),
    ...(random.chance(0.3) ? { labels: { x: random.pick(["1", "2"]) } } : {}),
    ...(random.chance(0.3)
      ? { inner: random.some([1, 2, 3], 0.5, true).map((id) => ({ id })) }
      : {}),
  };
}

function seededCase(seed: number): Case {
  const random = new Seeded(seed);
  const steps: Step[] = [by("a", seededSpec(random))];
  const length = 3 + random.below(4);
  while (steps.length < length) {
    const manager = random.pick(managers);
    if (random.chance(0.2)) steps.push(merge(path, { spec: seededSpec(random) }, { manager }));
    else if (random.chance(0.15))
      steps.push(
        apply(`${widgetsV2}/w`, asV2(widget(seededSpec(random))), { manager, force: true }),
      );
    else steps.push(by(manager, seededSpec(random), random.chance(0.6)));
  }
  return { name: `seeded ${seed}`, steps };
}

/** Server-side apply on a custom resource, where nothing but apply itself changes the object. */
export const applyWidget: Area = {
  name: "apply-widget",
  fixtures: widgetFixtures,
  ready: widgetPaths,
  cases: [
    ...shapes,
    ...chosen,
    ...Array.from({ length: 120 }, (_, seed) => seededCase(1000 + seed)),
  ],
};
