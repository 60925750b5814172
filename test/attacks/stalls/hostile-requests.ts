import { emptyContainers, protobufMap, unknownProtobuf } from "./protobuf-bodies.ts";

/**
 * Requests that are legal to send and long to serve: what a user without rights, a tenant or a namespace's administrator
 * can do to the one thread that serves everybody. The benchmark (bench/apiserver/stalls.ts) and the test beside this file
 * send them.
 */
export interface HostileRequest {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: () => string | Uint8Array;
  /** Number sent at the same time; default 1. */
  readonly copies?: number;
}

const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const own = "/api/v1/namespaces/tenant";
const maps = `${own}/configmaps`;
const json = "application/json";
const yaml = "application/yaml";
const apply = "application/apply-patch+yaml";
const strategic = "application/strategic-merge-patch+json";
const merge = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";
const protobuf = "application/vnd.kubernetes.protobuf";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(range(count, (index) => [`k${index}`, "v"]));
const text = (value: unknown) => () => JSON.stringify(value);
const review = (rest: object) => ({ ...rest, spec: { resourceAttributes: { verb: "get" } } });

/** A POST of a SelfSubjectAccessReview: anyone who is authenticated may send it. */
const asAnyone = (
  name: string,
  type: string,
  body: () => string | Uint8Array,
  copies = 1,
): HostileRequest => ({ name, method: "POST", path: reviews, type, body, copies });

const tenantWrite = (name: string, path: string, object: object, type = json): HostileRequest => ({
  name,
  method: "POST",
  path: `${path}?dryRun=All`,
  type,
  body: text(object),
});

const tenantPatch = (
  name: string,
  path: string,
  type: string,
  body: () => string,
): HostileRequest => ({ name, method: "PATCH", path, type, body });

const lines = (count: number) => range(count, (index) => `k${index}: v`).join("\n");
const flow = (count: number) => range(count, (index) => `k${index}: v`).join(", ");

const anyone: readonly HostileRequest[] = [
  asAnyone("YAML that begins with {", yaml, () => `{${flow(230_000)}}`),
  asAnyone("YAML that begins with a space and {", yaml, () => ` {${flow(230_000)}}`),
  asAnyone("YAML that begins with a comment and {", yaml, () => `#\n{${flow(230_000)}}`),
  asAnyone("YAML, JSON with a duplicate key", yaml, () =>
    JSON.stringify(keys(200_000)).replace(/}$/, ',"k1":"v"}'),
  ),
  asAnyone("YAML, 250k keys", yaml, () => lines(250_000)),
  asAnyone("YAML, b: b: b:", yaml, () => "b: ".repeat(1_000_000)),
  asAnyone("YAML, nested lists", yaml, () => "- ".repeat(1_500_000)),
  asAnyone("YAML, 100k anchors", yaml, () => range(100_000, (i) => `k${i}: &a${i} v`).join("\n")),
  asAnyone("YAML, alias bomb", yaml, aliasBomb),
  asAnyone("YAML, 250k keys, five at once", yaml, () => lines(250_000), 5),
  asAnyone("YAML, 30 KB, forty at once", yaml, () => lines(2_700), 40),
  asAnyone("JSON, 230k unknown fields", json, text(review(keys(230_000)))),
  asAnyone("JSON, 230k unknown fields, ten at once", json, text(review(keys(230_000))), 10),
  asAnyone("JSON, 250 KB of unknown fields, forty at once", json, text(review(keys(18_000))), 40),
  asAnyone("JSON, duplicate fields", json, () => `{${'"kind":"a",'.repeat(270_000)}"spec":{}}`),
  asAnyone("JSON, nested lists", json, () => `{"a":${"[".repeat(1_500_000)}`),
  asAnyone("JSON, one long number", json, () => `{"a":${"1".repeat(3_000_000)}}`),
  asAnyone("JSON, escapes", json, () => `{"a":"${"\\u0041".repeat(500_000)}"}`),
  asAnyone("JSON, 2.9 MB of extra", json, () =>
    JSON.stringify({ spec: { resourceAttributes: { verb: "get", name: "x".repeat(2_900_000) } } }),
  ),
  asAnyone("protobuf, unknown fields", protobuf, unknownProtobuf),
  asAnyone("4 MB", json, () => JSON.stringify({ a: "x".repeat(4_000_000) })),
];

/** Nine levels of nine aliases each: refused, as upstream does. */
function aliasBomb(): string {
  const level = (index: number) => `a${index}: &a${index} [${range(9, () => `*a${index - 1}`)}]`;
  return ["a0: &a0 v", ...range(8, (index) => level(index + 1))].join("\n");
}

const map = (rest: object) => ({ apiVersion: "v1", kind: "ConfigMap", ...rest });
const owners = range(8_000, (index) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `owner-${index}`,
  uid: `uid-${index}`,
}));
const managers = range(8_000, (index) => ({
  manager: `m${index}`,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { [`f:k${index}`]: {} } },
}));
const named = (prefix: string) => range(8_000, (index) => ({ name: `${prefix}${index}` }));
const image = { name: "c", image: "example.com/a" };
const pod = (spec: object) => ({ metadata: { name: "p" }, spec: { containers: [image], ...spec } });
const items = range(8_000, (index) => ({ key: `k${index}`, path: `p${index}` }));
const projected = range(8_000, (index) => ({ configMap: { name: `m${index}` } }));
const aliases = range(8_000, (index) => ({ ip: "10.0.0.1", hostnames: [`h${index}`] }));
const env = range(8_000, (index) => ({ name: `E${index}`, value: "$(E1)" }));
const spread = range(8_000, (index) => ({
  maxSkew: 1,
  topologyKey: `t${index}`,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { a: "b" } },
}));
const ports = range(8_000, (index) => ({ name: `p${index}`, port: 1 + index }));

/** A role whose rules multiply: verbs, groups and resources. */
const cube = (edge: number) => ({
  metadata: { name: `cube-${edge}` },
  rules: [
    {
      verbs: range(edge, (index) => `v${index}`),
      apiGroups: range(edge, (index) => `g${index}`),
      resources: range(edge, (index) => `r${index}`),
    },
  ],
});

const objects: readonly HostileRequest[] = [
  tenantWrite(
    "8,000 owner references",
    maps,
    map({ metadata: { name: "o", ownerReferences: owners } }),
  ),
  tenantWrite(
    "8,000 managed fields",
    maps,
    map({ metadata: { name: "m", managedFields: managers } }),
  ),
  tenantWrite("40,000 labels", maps, map({ metadata: { name: "l", labels: keys(40_000) } })),
  tenantWrite("90,000 keys of data", maps, map({ metadata: { name: "d" }, data: keys(90_000) })),
  tenantWrite("200,000 keys of data", maps, map({ metadata: { name: "d" }, data: keys(200_000) })),
  tenantWrite(
    "90,000 keys of data, as YAML",
    maps,
    map({ metadata: { name: "d" }, data: keys(90_000) }),
    yaml,
  ),
  tenantWrite(
    "8,000 volume items",
    `${own}/pods`,
    pod({ volumes: [{ name: "v", configMap: { name: "m", items } }] }),
  ),
  tenantWrite(
    "8,000 projected sources",
    `${own}/pods`,
    pod({ volumes: [{ name: "v", projected: { sources: projected } }] }),
  ),
  tenantWrite("8,000 host aliases", `${own}/pods`, pod({ hostAliases: aliases })),
  tenantWrite("8,000 variables", `${own}/pods`, pod({ containers: [{ ...image, env }] })),
  tenantWrite(
    "8,000 spread constraints",
    `${own}/pods`,
    pod({ topologySpreadConstraints: spread }),
  ),
  tenantWrite(
    "500,000 arguments",
    `${own}/pods`,
    pod({ containers: [{ ...image, args: range(500_000, () => "a") }] }),
  ),
  tenantWrite("8,000 ports", `${own}/services`, { metadata: { name: "s" }, spec: { ports } }),
  tenantWrite(
    "role of 60 × 60 × 60",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles",
    cube(60),
  ),
];

const updates: readonly HostileRequest[] = [
  tenantPatch(
    "strategic merge of 8,000 entries",
    `${own}/serviceaccounts/big`,
    strategic,
    text({ secrets: named("t") }),
  ),
  tenantPatch(
    "$setElementOrder of 8,000",
    `${own}/serviceaccounts/big`,
    strategic,
    text({
      "$setElementOrder/secrets": named("s"),
      secrets: named("s").slice(0, 10),
    }),
  ),
  tenantPatch("$patch: delete of 8,000", `${own}/serviceaccounts/big?dryRun=All`, strategic, () =>
    JSON.stringify({ secrets: named("s").map((one) => ({ ...one, $patch: "delete" })) }),
  ),
  tenantPatch("merge patch of 90,000 keys", `${maps}/large`, merge, text({ data: keys(90_000) })),
  tenantPatch(
    "small patch of a large object",
    `${maps}/large`,
    merge,
    text({ metadata: { labels: { a: "b" } } }),
  ),
  tenantPatch("JSON patch of 9,000 operations", `${maps}/large`, jsonPatch, () =>
    JSON.stringify(range(9_000, (index) => ({ op: "add", path: `/data/n${index}`, value: "v" }))),
  ),
  tenantPatch(
    "apply of 90,000 keys",
    `${maps}/applied?fieldManager=a&force=true`,
    apply,
    text(map({ metadata: { name: "applied" }, data: keys(90_000) })),
  ),
  tenantPatch(
    "apply of 90,000 keys as YAML",
    `${maps}/applied?fieldManager=b&force=true`,
    apply,
    () =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n${range(90_000, (i) => `  k${i}: w`).join("\n")}`,
  ),
  {
    name: "update of 90,000 keys",
    method: "PUT",
    path: `${maps}/large`,
    type: json,
    body: text(map({ metadata: { name: "large" }, data: keys(90_000) })),
  },
];

const widgets = "/apis/example.com/v1/namespaces/tenant/widgets";
const widget = (name: string, spec: object) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

const empties = (count: number) => `[${"{},".repeat(count)}{}]`;

/** Objects without fields, and protobuf, which have no keys to count. */
const disguised: readonly HostileRequest[] = [
  asWritten("1,000,000 empty containers", "pods", json, () =>
    Buffer.from(`{"metadata":{"name":"p"},"spec":{"containers":${empties(1_000_000)}}}`),
  ),
  asWritten("90,000 empty owner references", "configmaps", json, () =>
    Buffer.from(`{"metadata":{"name":"p","ownerReferences":${empties(90_000)}}}`),
  ),
  asWritten("90,000 keys as protobuf", "configmaps", protobuf, () => protobufMap(90_000)),
  asWritten("200,000 keys as protobuf", "configmaps", protobuf, () => protobufMap(200_000)),
  asWritten("1,400,000 empty containers as protobuf", "pods", protobuf, () =>
    emptyContainers(1_400_000),
  ),
];

function asWritten(
  name: string,
  resource: string,
  type: string,
  body: () => Uint8Array,
): HostileRequest {
  return { name, method: "POST", path: `${own}/${resource}?dryRun=All`, type, body };
}

const custom: readonly HostileRequest[] = [
  tenantWrite("custom resource, 100,000 keys", widgets, widget("k", { free: keys(100_000) })),
  tenantWrite("custom resource, 100,000 unknown keys", widgets, widget("u", keys(100_000))),
  tenantWrite("custom resource, list-map of 8,000", widgets, widget("m", { parts: named("p") })),
  tenantWrite(
    "custom resource, set of 8,000",
    widgets,
    widget("s", { tags: range(8_000, String) }),
  ),
  tenantWrite(
    "custom resource, CEL rule over 1,000",
    widgets,
    widget("c", { counted: range(1_000, (i) => i) }),
  ),
];

const judgedMaps = "/api/v1/namespaces/judged/configmaps";
const judged: readonly HostileRequest[] = [
  tenantWrite(
    "90,000 keys, judged by a policy",
    judgedMaps,
    map({ metadata: { name: "d" }, data: keys(90_000) }),
  ),
  tenantPatch(
    "small patch of a large object, judged by a policy",
    `${judgedMaps}/large`,
    merge,
    () => JSON.stringify({ metadata: { labels: { a: "b" } } }),
  ),
];

const lists: readonly HostileRequest[] = [
  { name: "list with 32,000 terms", method: "GET", path: `${maps}?labelSelector=${terms(32_000)}` },
  { name: "list of 5,000", method: "GET", path: "/api/v1/namespaces/many/configmaps" },
  {
    name: "list of 5,000, ten at once",
    method: "GET",
    path: "/api/v1/namespaces/many/configmaps",
    copies: 10,
  },
  {
    name: "table of 5,000",
    method: "GET",
    path: "/api/v1/namespaces/many/configmaps",
    accept: table,
  },
  {
    name: "list of 5,000 by label",
    method: "GET",
    path: "/api/v1/namespaces/many/configmaps?labelSelector=a!%3Db",
  },
  {
    name: "list of 5,000 as YAML",
    method: "GET",
    path: "/api/v1/namespaces/many/configmaps",
    accept: yaml,
  },
  {
    name: "list of 5,000 as protobuf",
    method: "GET",
    path: "/api/v1/namespaces/many/configmaps",
    accept: protobuf,
  },
  { name: "OpenAPI", method: "GET", path: "/openapi/v2" },
  {
    name: "OpenAPI as protobuf",
    method: "GET",
    path: "/openapi/v2",
    accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  },
  {
    name: "deletion of 5,000",
    method: "DELETE",
    path: "/api/v1/namespaces/many/configmaps?dryRun=All",
  },
];

function terms(count: number): string {
  return encodeURIComponent(range(count, (index) => `a${index}!=b`).join(","));
}

/** All requests, in the order in which they are sent. */
export const hostileRequests: readonly HostileRequest[] = [
  ...anyone,
  ...objects,
  ...updates,
  ...disguised,
  ...custom,
  ...judged,
  ...lists,
];

/** Requests that came from the reports of crashes: a server without limits may not survive them. */
export const deadlyRequests: readonly HostileRequest[] = [
  tenantWrite(
    "role of 200 × 200 × 200",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles",
    cube(200),
  ),
  tenantWrite(
    "role of 300 × 300 × 300",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/tenant/roles",
    cube(300),
  ),
];

/** Lists to be sent first after a start. */
export const firstLists: readonly HostileRequest[] = lists.filter(({ name }) =>
  ["table of 5,000", "list of 5,000 by label"].includes(name),
);

const widgetSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        free: { type: "object", additionalProperties: { type: "string" } },
        parts: {
          type: "array",
          items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        counted: {
          type: "array",
          maxItems: 1_000,
          items: { type: "integer" },
          "x-kubernetes-validations": [{ rule: "self.all(x, self.exists(y, y == x))" }],
        },
      },
    },
  },
};

const policyPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
/** A policy that reads a map of its objects once for each of its keys. */
const policy = {
  metadata: { name: "judge" },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "judged" } },
      resourceRules: [
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          operations: ["CREATE", "UPDATE"],
          resources: ["configmaps"],
        },
      ],
    },
    matchConditions: [{ name: "has-keys", expression: "object.data.all(k, k in object.data)" }],
    variables: [{ name: "known", expression: "object.data.all(k, k.startsWith('k'))" }],
    validations: [
      { expression: "variables.known" },
      { expression: "object.data.all(k, object.data[k] != 'x')" },
    ],
  },
};

const verbs = ["get", "list", "create", "update", "patch", "deletecollection"];

/** Objects that an administrator makes before: paths and bodies. */
export const surroundings: readonly (readonly [path: string, body: object])[] = [
  ["/api/v1/namespaces", { metadata: { name: "tenant" } }],
  ["/api/v1/namespaces", { metadata: { name: "many" } }],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    {
      metadata: { name: "tenant" },
      rules: [
        { apiGroups: ["", "example.com"], resources: ["*"], verbs },
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs },
      ],
    },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    {
      metadata: { name: "tenant" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "tenant" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "tenant" }],
    },
  ],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: widgetSchema } },
        ],
      },
    },
  ],
  ["/api/v1/namespaces", { metadata: { name: "judged" } }],
  [judgedMaps, map({ metadata: { name: "large" }, data: keys(30_000) })],
  [`${policyPath}ies`, policy],
  [
    `${policyPath}ybindings`,
    { metadata: { name: "judge" }, spec: { policyName: "judge", validationActions: ["Deny"] } },
  ],
  [`${own}/serviceaccounts`, { metadata: { name: "big" }, secrets: named("s") }],
  [maps, map({ metadata: { name: "large" }, data: keys(30_000) })],
];

/** One of the many objects of the lists. */
export const listedMap = (index: number): object =>
  map({
    metadata: { name: `m${index}`, labels: { a: `l${index % 10}` } },
    data: { text: "x".repeat(700), other: String(index) },
  });
