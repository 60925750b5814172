import type { Area, Case, Step } from "../case.ts";
import { create, merge, read } from "./steps.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
type Json = Record<string, unknown>;

const text = { type: "string" };
const object = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});
const schemaOf = (spec: Json, more: Json = {}): Json => ({
  openAPIV3Schema: object({ spec }, more),
});
const version = (more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: schemaOf(object({ a: text })),
  ...more,
});
const names = { plural: "things", kind: "Thing" };
const crd = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.{ns}.example.com", ...metadata },
  spec: { group: "{ns}.example.com", scope: "Namespaced", names, versions: [version()], ...spec },
});
/** Nothing is stored, so cases don't see each other. */
const tried = (name: string, body: Json): Case => ({
  name,
  steps: [create(crds, body, { query: "dryRun=All" })],
});
const withSchema = (name: string, spec: Json, more: Json = {}): Case =>
  tried(name, crd({ versions: [version({ schema: schemaOf(spec, more) })] }));
const withVersion = (name: string, more: Json): Case =>
  tried(name, crd({ versions: [version(more)] }));

const meta: readonly Case[] = [
  tried("plain", crd()),
  tried("empty", { metadata: { name: "x" } }),
  tried("no spec names", crd({ names: {} })),
  tried("wrong name", crd({}, { name: "other.example.com" })),
  tried("group without dot", crd({ group: "example" }, { name: "things.example" })),
  tried("group empty", crd({ group: "" })),
  tried("group invalid", crd({ group: "Ex_ample.com" })),
  tried("scope missing", crd({ scope: undefined })),
  tried("scope unknown", crd({ scope: "Galaxy" })),
  tried(
    "names invalid",
    crd({
      names: {
        plural: "Things",
        singular: "th ing",
        kind: "Thing!",
        listKind: "1List",
        shortNames: ["T", "ok"],
        categories: ["all", "A"],
      },
    }),
  ),
  tried("kind equals list kind", crd({ names: { ...names, listKind: "Thing" } })),
  tried("no versions", crd({ versions: [] })),
  tried("versions missing", crd({ versions: undefined })),
  tried("two storage versions", crd({ versions: [version(), version({ name: "v2" })] })),
  tried("no storage version", crd({ versions: [version({ storage: false })] })),
  tried("duplicate versions", crd({ versions: [version(), version({ storage: false })] })),
  tried("version name invalid", crd({ versions: [version({ name: "V1" })] })),
  tried(
    "second version name invalid",
    crd({ versions: [version(), version({ name: "2", storage: false })] }),
  ),
  tried("no schema", crd({ versions: [version({ schema: undefined })] })),
  tried("empty schema", crd({ versions: [version({ schema: {} })] })),
  tried(
    "one schema of two",
    crd({ versions: [version(), version({ name: "v2", storage: false, schema: undefined })] }),
  ),
  tried("preserve unknown fields", crd({ preserveUnknownFields: true })),
  tried(
    "preserve unknown with defaults",
    crd({
      preserveUnknownFields: true,
      versions: [version({ schema: schemaOf(object({ a: { type: "string", default: "x" } })) })],
    }),
  ),
  tried("protected group", crd({ group: "{ns}.k8s.io" }, { name: "things.{ns}.k8s.io" })),
  tried(
    "protected group unapproved",
    crd(
      { group: "{ns}.k8s.io" },
      {
        name: "things.{ns}.k8s.io",
        annotations: { "api-approved.kubernetes.io": "unapproved, test" },
      },
    ),
  ),
  tried(
    "protected group approved",
    crd(
      { group: "{ns}.k8s.io" },
      {
        name: "things.{ns}.k8s.io",
        annotations: { "api-approved.kubernetes.io": "https://example.com/pull/1" },
      },
    ),
  ),
  tried(
    "protected group wrong annotation",
    crd(
      { group: "{ns}.kubernetes.io" },
      { name: "things.{ns}.kubernetes.io", annotations: { "api-approved.kubernetes.io": "yes" } },
    ),
  ),
  tried(
    "deprecation warning without deprecation",
    crd({ versions: [version({ deprecationWarning: "old" })] }),
  ),
  tried(
    "deprecation warning empty",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "" })] }),
  ),
  tried(
    "deprecation warning long",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "x".repeat(257) })] }),
  ),
  tried(
    "deprecation warning unprintable",
    crd({ versions: [version({ deprecated: true, deprecationWarning: "a\tb" })] }),
  ),
  tried("unknown field", { ...crd(), nonsense: 1 }),
  {
    name: "unknown field strict",
    steps: [create(crds, crd({ nonsense: 1 }), { query: "dryRun=All&fieldValidation=Strict" })],
  },
];

const webhook = (clientConfig: unknown, conversionReviewVersions?: unknown): Json => ({
  strategy: "Webhook",
  webhook: { clientConfig, conversionReviewVersions },
});
const conversions: readonly Case[] = (
  [
    ["conversion unknown", { strategy: "Magic" }],
    ["conversion empty", {}],
    [
      "conversion none with webhook",
      {
        strategy: "None",
        webhook: { clientConfig: { url: "https://x" }, conversionReviewVersions: ["v1"] },
      },
    ],
    ["conversion without webhook", { strategy: "Webhook" }],
    ["conversion without client config", webhook(undefined, ["v1"])],
    [
      "conversion url and service",
      webhook({ url: "https://x", service: { name: "a", namespace: "b" } }, ["v1"]),
    ],
    ["conversion neither", webhook({}, ["v1"])],
    ["conversion http", webhook({ url: "http://x/y" }, ["v1"])],
    ["conversion url with everything", webhook({ url: "https://u:p@x/y?q=1#f" }, ["v1"])],
    ["conversion url without host", webhook({ url: "https:///y" }, ["v1"])],
    ["conversion service empty", webhook({ service: {} }, ["v1"])],
    ["conversion service without name", webhook({ service: { namespace: "b" } }, ["v1"])],
    [
      "conversion service port",
      webhook({ service: { name: "a", namespace: "b", port: 70000 } }, ["v1"]),
    ],
    [
      "conversion service path",
      webhook({ service: { name: "a", namespace: "b", path: "x//Y/" } }, ["v1"]),
    ],
    [
      "conversion service",
      webhook({ service: { name: "a", namespace: "b", path: "/x" }, caBundle: "bm8=" }, ["v1"]),
    ],
    ["conversion without reviews", webhook({ url: "https://x" })],
    ["conversion unknown reviews", webhook({ url: "https://x" }, ["v9", "v9", "V"])],
    ["conversion reviews", webhook({ url: "https://x" }, ["v9", "v1beta1"])],
  ] as const
).map(([name, conversion]) => tried(name, crd({ conversion })));

const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
const schemas: readonly Case[] = [
  withSchema("no type", {}),
  withSchema("unknown type", { type: "text" }),
  withSchema("type null", object({ a: { type: "null" } })),
  withSchema("array without items", object({ a: { type: "array" } })),
  withSchema("items list", object({ a: { type: "array", items: [text] } })),
  withSchema("ref", object({ a: { $ref: "#/x" } })),
  withSchema("id", object({ a: { type: "string", id: "x" } })),
  withSchema("definitions", object({}, { definitions: { x: text } })),
  withSchema("pattern properties", object({}, { patternProperties: { x: text } })),
  withSchema("dependencies", object({}, { dependencies: { x: ["y"] } })),
  withSchema("additional items", object({ a: list(text, { additionalItems: true }) })),
  withSchema("unique items", object({ a: list(text, { uniqueItems: true }) })),
  withSchema(
    "additional and named properties",
    object({ a: text }, { additionalProperties: text }),
  ),
  withSchema("additional true and named", object({ a: text }, { additionalProperties: true })),
  withSchema("additional at root", object({ a: text }), { additionalProperties: text }),
  withSchema("nullable root", object({ a: text }), { nullable: true }),
  withSchema("bad pattern", object({ a: { type: "string", pattern: "(" } })),
  withSchema("types under any of", object({ a: { type: "string", anyOf: [{ type: "string" }] } })),
  withSchema(
    "properties under any of",
    object({ a: text }, { anyOf: [{ required: ["a"] }, { properties: { b: { minLength: 1 } } }] }),
  ),
  withSchema("metadata", object({}), {
    properties: {
      metadata: {
        type: "object",
        properties: { name: { type: "string", maxLength: 3 }, labels: { type: "object" } },
      },
    },
  }),
  withSchema("metadata default", object({}), {
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", default: "x" } } },
    },
  }),
  withSchema(
    "preserve false",
    object({ a: { type: "object", "x-kubernetes-preserve-unknown-fields": false } }),
  ),
  withSchema(
    "embedded without properties",
    object({ a: { type: "object", "x-kubernetes-embedded-resource": true } }),
  ),
  withSchema(
    "embedded in metadata",
    object({
      a: object(
        {
          metadata: object({
            x: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          }),
        },
        { "x-kubernetes-embedded-resource": true },
      ),
    }),
  ),
  withSchema(
    "int or string with type",
    object({ a: { type: "string", "x-kubernetes-int-or-string": true } }),
  ),
  withSchema(
    "map type of a string",
    object({ a: { type: "string", "x-kubernetes-map-type": "atomic" } }),
  ),
  withSchema(
    "map type unknown",
    object({ a: { type: "object", "x-kubernetes-map-type": "soft" } }),
  ),
  withSchema(
    "list type of a string",
    object({ a: { type: "string", "x-kubernetes-list-type": "set" } }),
  ),
  withSchema("list type unknown", object({ a: list(text, { "x-kubernetes-list-type": "bag" }) })),
  withSchema(
    "set of objects",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-type": "set" }) }),
  ),
  withSchema(
    "set of lists",
    object({
      a: list(list(text, { "x-kubernetes-list-type": "set" }), { "x-kubernetes-list-type": "set" }),
    }),
  ),
  withSchema(
    "set of atomic objects",
    object({
      a: list(object({ b: text }, { "x-kubernetes-map-type": "atomic" }), {
        "x-kubernetes-list-type": "set",
      }),
    }),
  ),
  withSchema(
    "map without keys",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-type": "map" }) }),
  ),
  withSchema(
    "keys without map",
    object({ a: list(object({ b: text }), { "x-kubernetes-list-map-keys": ["b"] }) }),
  ),
  withSchema(
    "keys of a set",
    object({
      a: list(text, { "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["b"] }),
    }),
  ),
  withSchema(
    "map of strings",
    object({
      a: list(text, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] }),
    }),
  ),
  withSchema(
    "map key unknown",
    object({
      a: list(object({ b: text }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["c"],
      }),
    }),
  ),
  withSchema(
    "map key twice",
    object({
      a: list(object({ b: text }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b", "b"],
      }),
    }),
  ),
  withSchema(
    "map key object",
    object({
      a: list(object({ b: object({}) }, { required: ["b"] }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      }),
    }),
  ),
  withSchema(
    "map key optional",
    object({
      a: list(object({ b: text }), {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["b"],
      }),
    }),
  ),
  withSchema(
    "map key nullable",
    object({
      a: list(
        object({ b: { type: "string", nullable: true } }, { required: ["b"], nullable: true }),
        { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["b"] },
      ),
    }),
  ),
  withSchema("default wrong", object({ a: { type: "string", default: 1 } })),
  withSchema("default unknown field", object({ a: object({ b: text }, { default: { c: 1 } }) })),
  withSchema(
    "default against enum",
    object({ a: { type: "string", enum: ["x", "y"], default: "z" } }),
  ),
  withSchema(
    "default against rule",
    object({
      a: { type: "string", default: "z", "x-kubernetes-validations": [{ rule: "self != 'z'" }] },
    }),
  ),
  withSchema(
    "format unknown",
    object({ a: { type: "string", format: "weird" }, b: { type: "integer", format: "int16" } }),
  ),
  withSchema(
    "rule",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "self.a != ''", message: "no" }] }),
  ),
  withSchema(
    "rule wrong",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "self.b != ''" }] }),
  ),
  withSchema("rule empty", object({ a: text }, { "x-kubernetes-validations": [{ rule: " " }] })),
  withSchema(
    "rule texts",
    object(
      { a: text },
      {
        "x-kubernetes-validations": [
          { rule: "true", message: " " },
          { rule: "true", message: "a\nb" },
          { rule: "true\n", messageExpression: " " },
          { rule: "true\n&& true" },
          { rule: "true", reason: "Odd", fieldPath: ".b" },
        ],
      },
    ),
  ),
  withSchema(
    "rule with old self in list",
    object({
      a: list(
        { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
        { maxItems: 3 },
      ),
    }),
  ),
  withSchema(
    "rule too costly",
    object({
      a: list({ type: "string", "x-kubernetes-validations": [{ rule: "self.contains('x')" }] }),
    }),
  ),
  withSchema(
    "rule optional old self",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "true", optionalOldSelf: true }] }),
  ),
  withSchema(
    "message expression wrong",
    object({ a: text }, { "x-kubernetes-validations": [{ rule: "true", messageExpression: "1" }] }),
  ),
  withSchema(
    "rule beside other error",
    object(
      {
        a: { type: "string", "x-kubernetes-validations": [{ rule: "self.b" }] },
        c: { type: "string", uniqueItems: true },
      },
      { "x-kubernetes-validations": [{ rule: "self.zz" }] },
    ),
  ),
  withVersion("root type with status", {
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: "array", items: text } },
  }),
  withVersion("root any of with status", {
    subresources: { status: {} },
    schema: schemaOf(object({ a: text }), { anyOf: [{ required: ["spec"] }] }),
  }),
];

const parts: readonly Case[] = [
  withVersion("columns wrong", {
    additionalPrinterColumns: [
      {},
      { name: "A", type: "text", format: "x", jsonPath: "a" },
      { name: "B", type: "string", jsonPath: ".a[" },
    ],
  }),
  withVersion("columns", {
    additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
  }),
  withVersion("scale empty", { subresources: { scale: {} } }),
  withVersion("scale wrong", {
    subresources: {
      scale: { specReplicasPath: "a", statusReplicasPath: ".spec.a", labelSelectorPath: ".x" },
    },
  }),
  withVersion("scale spec path", {
    subresources: {
      scale: {
        specReplicasPath: ".status.a",
        statusReplicasPath: ".status.a",
        labelSelectorPath: "x",
      },
    },
  }),
  withVersion("selectable fields wrong", {
    selectableFields: [
      { jsonPath: "" },
      { jsonPath: ".spec.b" },
      { jsonPath: ".spec" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec.a" },
      { jsonPath: ".spec['a']" },
      { jsonPath: "spec" },
      { jsonPath: ".metadata.name" },
    ],
  }),
  withVersion("selectable fields too many", {
    schema: schemaOf(object(Object.fromEntries([..."abcdefghi"].map((name) => [name, text])))),
    selectableFields: [..."abcdefghi"].map((name) => ({ jsonPath: `.spec.${name}` })),
  }),
  tried(
    "parts of two versions",
    crd({
      versions: [
        version({
          additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".a" }],
          schema: schemaOf({}),
        }),
        version({
          name: "v2",
          storage: false,
          subresources: { scale: {} },
          selectableFields: [{ jsonPath: ".x" }],
        }),
      ],
    }),
  ),
];

const named = "{ns}.example.com";
const path = `${crds}/things.${named}`;
const settle = (step: Step): Step => ({ ...step, waitSeconds: 2 });
const lives: readonly Case[] = [
  {
    name: "is established",
    steps: [create(crds, crd()), settle(read(path)), { method: "DELETE", path }],
  },
  {
    name: "immutable fields",
    steps: [
      create(crds, crd()),
      settle(merge(path, { spec: { scope: "Cluster" } })),
      merge(path, { spec: { names: { kind: "Other", listKind: "OtherList" } } }),
      merge(path, { spec: { group: "x.example.com" } }),
      merge(path, { spec: { names: { plural: "others" } } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(path, { spec: { versions: [version({ storage: false }), version({ name: "v2" })] } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(`${path}/status`, { status: { storedVersions: ["v2"] } }),
      merge(path, { spec: { versions: [version({ name: "v2" })] } }),
      merge(path, { spec: { names: { shortNames: ["th"] } } }),
      settle(read(path)),
    ],
  },
  {
    name: "names in conflict",
    steps: [
      create(crds, crd()),
      settle(
        create(
          crds,
          crd(
            {
              names: {
                plural: "others",
                singular: "thing",
                kind: "Thing",
                listKind: "ThingList",
                shortNames: ["things"],
              },
            },
            { name: `others.${named}` },
          ),
        ),
      ),
      settle(read(`${crds}/others.${named}`)),
      { method: "DELETE", path },
      settle(read(`${crds}/others.${named}`)),
    ],
  },
  {
    name: "status of a protected group",
    steps: [
      create(
        crds,
        crd(
          { group: "{ns}.k8s.io" },
          {
            name: "things.{ns}.k8s.io",
            annotations: { "api-approved.kubernetes.io": "https://example.com/pull/1" },
          },
        ),
      ),
      settle(read(`${crds}/things.{ns}.k8s.io`)),
    ],
  },
  {
    name: "bad bundle",
    steps: [
      create(
        crds,
        crd({
          conversion: {
            strategy: "Webhook",
            webhook: {
              clientConfig: { url: "https://x", caBundle: "bm8=" },
              conversionReviewVersions: ["v1"],
            },
          },
        }),
      ),
      settle(read(path)),
    ],
  },
];

/** Definitions of custom resources: what is refused, and what becomes of the others. */
export const customDefinitions: Area = {
  name: "custom-definitions",
  cases: [...meta, ...conversions, ...schemas, ...parts, ...lives],
};
