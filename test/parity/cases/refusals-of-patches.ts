import type { Case, Step } from "../case.ts";
import {
  apply,
  claims,
  configMaps,
  create,
  deployments,
  jsonPatch,
  merge,
  services,
  strategic,
} from "./steps.ts";

/** Patches whose result is no object of the kind, each in all four content types. */
const dry = { query: "dryRun=All" };
const one = `${deployments}/d`;
const spec = {
  replicas: 2,
  selector: { matchLabels: { app: "x" } },
  template: {
    metadata: { labels: { app: "x" } },
    spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] },
  },
};
const made = create(deployments, { metadata: { name: "d" }, spec });
const leases = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

const patches = (
  name: string,
  first: Step,
  send: (body: unknown) => Step,
  bodies: readonly unknown[],
): Case => ({ name, steps: [first, ...bodies.map(send)] });

/** Values of a wrong type at fields of a deployment. */
const misplaced: readonly (readonly [path: string, value: unknown])[] = [
  ["/metadata", 7],
  ["/metadata/name", 5],
  ["/metadata/name", 1.5],
  ["/metadata/name", ["x"]],
  ["/metadata/generation", "x"],
  ["/metadata/generation", 1.5],
  ["/metadata/creationTimestamp", true],
  ["/metadata/creationTimestamp", {}],
  ["/metadata/creationTimestamp", "../x"],
  ["/metadata/labels", "x"],
  ["/metadata/labels", { a: {} }],
  ["/metadata/finalizers", {}],
  ["/metadata/finalizers", 5],
  ["/spec", "x"],
  ["/spec", []],
  ["/spec/paused", "true"],
  ["/spec/minReadySeconds", "x"],
  ["/spec/minReadySeconds", false],
  ["/spec/minReadySeconds", 1.5],
  ["/spec/minReadySeconds", 2147483648],
  ["/spec/selector", 5],
  ["/spec/strategy", { type: 5 }],
  ["/spec/strategy", { rollingUpdate: { maxSurge: {} } }],
  ["/spec/strategy", { rollingUpdate: { maxSurge: [1] } }],
  ["/spec/template/metadata/labels/app", {}],
  ["/spec/template/spec/containers", "x"],
  ["/spec/template/spec/nodeSelector", []],
];

const nested = (path: string, value: unknown): unknown =>
  path
    .split("/")
    .slice(1)
    .reduceRight((inner, key) => ({ [key]: inner }), value);

const conversions: readonly Case[] = [
  patches("strategic patch: wrong types", made, (body) => strategic(one, body, dry), [
    ...misplaced.map(([path, value]) => nested(path, value)),
    { kind: 5 },
    { spec: { template: { spec: { containers: [{ name: "c", image: {} }] } } } },
    { spec: { template: { spec: { containers: [{ name: "c", resources: { limits: 5 } }] } } } },
    '{"spec":{"minReadySeconds":9223372036854775807}}',
    '{"spec":{"minReadySeconds":9223372036854775808,"progressDeadlineSeconds":1e3}}',
    { spec: { zz: 1, "": 2, selector: { b: 1, a: 2 } } },
  ]),
  patches("json patch: wrong types", made, (body) => jsonPatch(one, body, dry), [
    ...misplaced.map(([path, value]) => [{ op: "add", path, value }]),
    [
      { op: "test", path: "/spec/template/spec/containers/0/name", value: "c" },
      { op: "add", path: "/spec/template/spec/containers/0/image", value: 5 },
    ],
    '[{"op":"replace","path":"/spec/replicas","value":1.0}]',
    '[{"op":"replace","path":"/spec/replicas","value":9223372036854775808}]',
    '[{"op":"replace","path":"/metadata/generation","value":9223372036854775807}]',
    [{ op: "remove", path: "/apiVersion" }],
  ]),
  patches("merge patch: wrong types", made, (body) => merge(one, body, dry), [
    ...misplaced.map(([path, value]) => nested(path, value)),
    { spec: { template: { spec: { containers: [{ name: "c", image: "i" }, "x"] } } } },
    '{"spec":{"replicas":1.0}}',
    '{"spec":{"replicas":1e3}}',
    '{"metadata":{"generation":9223372036854775807}}',
    { apiVersion: "" },
  ]),
  patches(
    "merge patch: no version, strictly",
    made,
    (body) => merge(one, body, { query: "dryRun=All&fieldValidation=Strict" }),
    [{ apiVersion: null }],
  ),
];

const config = (more: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", ...more },
  spec,
});

const applications: readonly Case[] = [
  patches(
    "apply: wrong types",
    made,
    (body) => apply(one, body, { manager: "m", force: true, ...dry }),
    [
      config({ creationTimestamp: "../x" }),
      config({ creationTimestamp: true }),
      config({ generation: 1.5 }),
      config({ generation: "x" }),
      { ...config({}), spec: { ...spec, strategy: { rollingUpdate: { maxSurge: {} } } } },
      { ...config({}), spec: { ...spec, strategy: { rollingUpdate: { maxSurge: [1] } } } },
      { ...config({}), kind: 5 },
      { ...config({}), apiVersion: 5 },
    ],
  ),
  patches(
    "apply: a wrong quantity",
    create(claims, {
      metadata: { name: "p" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    }),
    (body) => apply(`${claims}/p`, body, { manager: "m", ...dry }),
    [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "p" },
        spec: { resources: { limits: { storage: "x y" } } },
      },
    ],
  ),
];

const others: readonly Case[] = [
  patches("patches: annotations of a deployment", made, (body) => merge(one, body, dry), [
    { metadata: { annotations: { a: "b" } } },
    { metadata: { labels: { a: "b" } } },
  ]),
  patches(
    "patches: a wrong time",
    create(leases, { metadata: { name: "l" }, spec: { holderIdentity: "x" } }),
    (value) => strategic(`${leases}/l`, { spec: { renewTime: value } }, dry),
    ["x", 5, []],
  ),
  patches(
    "patches: a wrong time after another wrong field",
    create(leases, { metadata: { name: "l" }, spec: { holderIdentity: "x" } }),
    (body) => merge(`${leases}/l`, body, dry),
    [{ spec: { holderIdentity: 5, renewTime: 5 } }, { spec: { holderIdentity: 5, renewTime: {} } }],
  ),
  patches(
    "patches: neither a number nor a string",
    create(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1 } }),
    (body) => strategic(`${budgets}/b`, body, dry),
    [{ spec: { minAvailable: {} } }, { spec: { minAvailable: 1.5 } }],
  ),
  patches(
    "patches: bytes",
    create("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" } }),
    (body) => strategic("/api/v1/namespaces/{ns}/secrets/s", body, dry),
    [{ data: { a: "%" } }, { data: { a: 5 } }, { data: { a: "" } }],
  ),
  patches(
    "json patch: a zero value that was never sent",
    create(services, {
      metadata: { name: "s" },
      spec: { type: "ExternalName", externalName: "x" },
    }),
    (body) => jsonPatch(`${services}/s`, body, dry),
    [
      [{ op: "remove", path: "/status/loadBalancer" }],
      [{ op: "test", path: "/status/loadBalancer", value: {} }],
    ],
  ),
  patches(
    "merge patch: where its keys come in a refusal",
    create(configMaps, { metadata: { name: "a", labels: { z: "1", a: "2" } }, data: { x: "y" } }),
    (body) => merge(`${configMaps}/a`, body, dry),
    [
      { immutable: 5, metadata: { ownerReferences: [{ uid: "u", name: "n" }] } },
      { data: [{ z: 1, a: 2 }] },
    ],
  ),
];

/** Patches of the right form whose outcome is refused. */
export const patchRefusals: readonly Case[] = [...conversions, ...applications, ...others];
