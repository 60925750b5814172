import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { deviceRefusals } from "./refusals-of-devices.ts";
import { patchRefusals } from "./refusals-of-patches.ts";
import { apply, create, jsonPatch, merge, read, strategic, update } from "./steps.ts";

/** Invalid requests, found by mutation of valid ones; none of them is specific to one kind. */
const configMaps = "/api/v1/namespaces/{ns}/configmaps";
const one = `${configMaps}/a`;
const dry = { query: "dryRun=All" };
const made = create(configMaps, { metadata: { name: "a" }, data: { x: "y" } });

const single = (name: string, ...steps: readonly Step[]): Case => ({ name, steps });
const after = (name: string, ...steps: readonly Step[]): Case => ({
  name,
  steps: [made, ...steps],
});
const attempts = (
  prefix: string,
  path: string,
  bodies: Readonly<Record<string, unknown>>,
): Case[] =>
  Object.entries(bodies).map(([name, body]) =>
    single(`${prefix}: ${name}`, create(path, body, dry)),
  );
const gets = (prefix: string, path: string, queries: readonly string[]): Case[] =>
  queries.map((query) => single(`${prefix}: ${query}`, read(`${path}?${query}`)));
const removals = (queries: readonly string[]): Case[] =>
  queries.map((query) =>
    after(`delete: ${query}`, { method: "DELETE", path: `${one}?dryRun=All&${query}` }),
  );
const removalsBy = (bodies: readonly object[]): Case[] =>
  bodies.map((body) =>
    after(`delete by ${JSON.stringify(body)}`, { method: "DELETE", path: one, body }),
  );

const kinds: readonly Case[] = [
  ...attempts("kind", configMaps, {
    "another's": { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "b" } },
    "a list": { apiVersion: "v1", kind: "ConfigMapList", metadata: { name: "b" } },
    "of another server": {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
    },
    unknown: { apiVersion: "v1", kind: "X", metadata: { name: "b" } },
    "unknown version": { apiVersion: "v1x", kind: "ConfigMap", metadata: { name: "b" } },
    "unknown group": { apiVersion: "a.b/v1", kind: "ConfigMap", metadata: { name: "b" } },
    "wrong type": { data: 5 },
  }),
  single(
    "kind: another version",
    create(
      "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
      { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" },
      dry,
    ),
  ),
];

const types: readonly Case[] = [
  ...attempts("type", "/api/v1/namespaces/{ns}/pods", {
    "of a volume": { metadata: { name: "b" }, spec: { volumes: [{ name: "v", emptyDir: "x" }] } },
    "of a probe": { spec: { containers: [{ livenessProbe: { exec: 5 } }] } },
    "of an environment": { spec: { containers: [{ envFrom: [{ configMapRef: { name: 5 } }] }] } },
    "of an enumeration": { spec: { restartPolicy: 5 } },
    "of an owner": { metadata: { name: "b", ownerReferences: [{ uid: 5 }] } },
    "of a list of names": {
      spec: { containers: [{ securityContext: { capabilities: { add: {} } } }] },
    },
  }),
  ...attempts("type", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    "of extras": { metadata: { name: "{ns}" }, spec: { extra: { a: 5 } } },
  }),
];

const versions: readonly Case[] = [
  single(
    "version: of a new object",
    create(configMaps, { metadata: { name: "b", resourceVersion: "5" } }),
  ),
  single(
    "version: that is none, of a new object",
    create(configMaps, { metadata: { name: "b", resourceVersion: "x" } }),
  ),
  after("version: that is none", update(one, { metadata: { name: "a", resourceVersion: "abc" } })),
  after("version: that is none, patched", merge(one, { metadata: { resourceVersion: "x" } })),
  after("uid: another's", update(one, { metadata: { name: "a", uid: "x" } })),
  after("uid: another's, only tried", update(one, { metadata: { name: "a", uid: "x" } }, dry)),
  after("name: none", update(one, { metadata: {} })),
  after("name: removed", merge(one, { metadata: { name: null } })),
];

const lists: readonly Case[] = [
  ...gets("list", configMaps, [
    "limit=",
    "limit=abc",
    "limit=1.5",
    "limit=9223372036854775808",
    "timeoutSeconds=",
    "continue=x",
    "continue=e30",
    "continue=eyJ2IjoieCIsInJ2IjoxMCwic3RhcnQiOiJhIn0",
    "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAsInN0YXJ0IjoiLi4vYVx1MDAwMCJ9",
    "resourceVersion=abc",
    "resourceVersion=-1",
    "resourceVersion=1.5",
    "resourceVersionMatch=Bogus&resourceVersion=5",
    "watch=1&timeoutSeconds=1&resourceVersion=abc",
    "watch=1&timeoutSeconds=1&resourceVersionMatch=Exact&resourceVersion=1",
    "sendInitialEvents=true",
    "labelSelector=a%20in%20(",
    "labelSelector=a%3D%3D%3Db",
    "fieldSelector=data.x%3Dy",
    "fieldSelector=metadata.name%3Da%3Db",
  ]),
  single(
    "list: all that is known, though a few are asked for",
    made,
    read(`${configMaps}?resourceVersion=0&limit=1&labelSelector=none`),
  ),
  after("get: a version that is none", read(`${one}?resourceVersion=abc`)),
  after("list: metadata alone", {
    ...read(`${configMaps}?fieldSelector=metadata.name%3Da`),
    headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
  }),
];

const paths: readonly Case[] = [
  single("path: a name that can't be one", read(`${configMaps}/..%25`)),
  single("path: a version that isn't served", read("/api/v2/pods")),
  single("path: a group's version that isn't served", read("/apis/apps/v9/deployments")),
  single("path: a group that isn't served", read("/apis/nope.example.com/v1/x")),
  after("path: the head of an object", { method: "HEAD", path: one }),
  single("path: a change by a watch", {
    method: "POST",
    path: "/api/v1/watch/namespaces/{ns}/configmaps",
    body: {},
  }),
  single("path: a patch of finalizers", merge("/api/v1/namespaces/{ns}/finalize", {}, dry)),
];

const deletions: readonly Case[] = [
  ...removals([
    "propagationPolicy=",
    "propagationPolicy=Bogus",
    "propagationPolicy=Orphan&orphanDependents=true",
    "gracePeriodSeconds=",
    "gracePeriodSeconds=abc",
    "uid=x",
    "ignoreStoreReadErrorWithClusterBreakingPotential=true",
    "ignoreStoreReadErrorWithClusterBreakingPotential=true&propagationPolicy=Orphan",
    "ignoreStoreReadErrorWithClusterBreakingPotential=true&gracePeriodSeconds=0&orphanDependents=true",
  ]),
  ...removalsBy([
    { kind: "Pod", apiVersion: "v1" },
    { preconditions: { uid: "x" } },
    { propagationPolicy: "" },
    { dryRun: ["All", "x"] },
    { gracePeriodSeconds: "x" },
    { ignoreStoreReadErrorWithClusterBreakingPotential: true, preconditions: { uid: "x" } },
  ]),
];

const yaml = (body: string, query = "dryRun=All"): Step => ({
  ...create(configMaps, body, { query }),
  headers: { "content-type": "application/yaml" },
});

const texts: readonly Case[] = [
  single(
    "yaml: keys that are there twice",
    yaml("metadata: {name: b, name: c, labels: {x: a, x: b}}"),
  ),
  single(
    "yaml: the same, strictly",
    yaml("metadata: {name: b, name: c}\nfoo: 1", "dryRun=All&fieldValidation=Strict"),
  ),
  after("apply: a list", apply(one, "[]", { manager: "m" })),
  after("apply: nothing", apply(one, "", { manager: "m" })),
  after("merge: a wrong type among keys", merge(one, { metadata: { labels: { z: "a", b: 5 } } })),
];

const changedKinds: readonly Case[] = [
  after("patch: to another kind", merge(one, { kind: "Pod" })),
  after("patch: to an unknown kind", merge(one, { kind: "A" })),
  after(
    "patch: to an unknown version",
    jsonPatch(one, [{ op: "replace", path: "/apiVersion", value: "x" }]),
  ),
  after(
    "patch: to no version",
    merge(one, { apiVersion: null }, { query: "fieldValidation=Ignore" }),
  ),
  after("patch: to no kind", merge(one, { kind: null }, dry)),
  after("patch: strategically, to another kind", strategic(one, { kind: "Pod" }, dry)),
];

const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const events = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const event = {
  metadata: { name: "e" },
  eventTime: "2019-01-01T00:00:00.000000Z",
  reportingController: "x/y",
  reportingInstance: "x",
  action: "a",
  reason: "r",
  type: "Normal",
  note: "n",
  regarding: { namespace: "{ns}", name: "x" },
};

const others: readonly Case[] = [
  single(
    "endpoint slice: another type of addresses",
    create(slices, { metadata: { name: "s" }, addressType: "IPv4" }),
    merge(`${slices}/s`, { addressType: "X" }),
    merge(`${slices}/s`, { addressType: null }),
  ),
  single(
    "event: a change",
    create(events, event),
    merge(`${events}/e`, { note: null, regarding: { name: "z" } }),
  ),
  ...attempts(
    "priority level",
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    {
      "of no type": {
        metadata: { name: "{ns}" },
        spec: { limited: { limitResponse: { type: "Reject" } } },
      },
      "of an unknown type": {
        metadata: { name: "{ns}" },
        spec: { type: "X", exempt: {}, limited: {} },
      },
      "that queues by an unknown type": {
        metadata: { name: "{ns}" },
        spec: { type: "Limited", limited: { limitResponse: { type: "X", queuing: {} } } },
      },
    },
  ),
  ...attempts("runtime class", "/apis/node.k8s.io/v1/runtimeclasses", {
    "with a long handler": objectOf(
      "node.k8s.io/v1",
      "RuntimeClass",
      { handler: "h".repeat(64) },
      { name: "{ns}", finalizers: ["x"] },
    ),
  }),
  ...attempts("job", "/apis/batch/v1/namespaces/{ns}/jobs", {
    "with a bad name": objectOf(
      "batch/v1",
      "Job",
      {
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
        },
      },
      { name: "150%" },
    ),
  }),
];

const asMetadata = (kind: string): Readonly<Record<string, string>> => ({
  accept: `application/json;as=${kind};g=meta.k8s.io;v=v1`,
});

const forms: readonly Case[] = [
  after("form: of an object, for a list", {
    ...read(configMaps),
    headers: asMetadata("PartialObjectMetadata"),
  }),
  after("form: of a list, for an object", {
    ...read(one),
    headers: asMetadata("PartialObjectMetadataList"),
  }),
  single("form: of an object, for a list of another group", {
    ...read("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles"),
    headers: asMetadata("PartialObjectMetadata"),
  }),
];

const evict = (query: string, deleteOptions: object): Step =>
  create(
    "/api/v1/namespaces/{ns}/pods/p/eviction",
    { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, deleteOptions },
    { query },
  );

const evictions: readonly Case[] = [
  single(
    "eviction: options that are none, or not those of the request",
    create("/api/v1/namespaces/{ns}/pods", {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
    }),
    evict("dryRun=All", { dryRun: ["x"] }),
    evict("", { dryRun: ["x"] }),
    evict("dryRun=All", { propagationPolicy: "x" }),
    evict("dryRun=All", { dryRun: ["All"] }),
  ),
];

/** Errors in requests of any kind, and in some objects. */
export const refusalsArea: Area = {
  name: "refusals",
  cases: [
    ...kinds,
    ...types,
    ...versions,
    ...lists,
    ...paths,
    ...deletions,
    ...texts,
    ...changedKinds,
    ...others,
    ...forms,
    ...evictions,
    ...deviceRefusals,
    ...patchRefusals,
  ],
};
