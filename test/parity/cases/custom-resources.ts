import type { Area, Case, Step } from "../case.ts";
import { apply, create, merge, read, update } from "./steps.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "rules.example.com";
const things = `/apis/${group}/v1/namespaces/{ns}/things`;
const old = `/apis/${group}/v1beta1/namespaces/{ns}/things`;
const thing = `${things}/t`;

const text = { type: "string" };
const whole = { type: "integer" };
const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { ...text, enum: ["small", "large"] },
    replicas: { ...whole, minimum: 0, default: 1 },
    short: { ...text, maxLength: 5 },
    pattern: { ...text, pattern: "^a+$" },
    date: { ...text, format: "date-time" },
    fixed: {
      ...text,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }],
    },
    low: { ...whole },
    high: { ...whole },
    set: { type: "array", maxItems: 4, items: text, "x-kubernetes-list-type": "set" },
    map: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: text, value: whole } },
    },
    labels: { type: "object", additionalProperties: text },
    ios: { "x-kubernetes-int-or-string": true },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    nullable: { ...text, nullable: true },
    one: {
      type: "object",
      properties: { a: text, b: text },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.low) || !has(self.high) || self.low <= self.high",
      message: "low must not exceed high",
      fieldPath: ".low",
    },
    {
      rule: "!has(self.low) || self.low != 13",
      messageExpression: "'not ' + 'that'",
      reason: "FieldValueForbidden",
    },
  ],
};
const status = {
  type: "object",
  properties: {
    replicas: { ...whole, maximum: 100 },
    selector: text,
    phase: { ...text, default: "New" },
  },
};
const schema = { openAPIV3Schema: { type: "object", properties: { spec, status } } };
const other = { openAPIV3Schema: { ...schema.openAPIV3Schema, description: "as it was" } };
const subresources = {
  status: {},
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
};
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", shortNames: ["th"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema,
        subresources,
        selectableFields: [{ jsonPath: ".spec.size" }],
        additionalPrinterColumns: [
          { name: "Size", type: "string", jsonPath: ".spec.size", description: "how big" },
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
          { name: "Names", type: "string", jsonPath: ".spec.map[*].name" },
        ],
      },
      { name: "v1beta1", served: true, storage: false, deprecated: true, schema: other },
    ],
  },
};

const body = (fields: object, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name: "t" },
  ...more,
  spec: { size: "small", ...fields },
});
const tried = (name: string, fields: object, more: object = {}): Case => ({
  name,
  steps: [create(things, body(fields, more))],
});
const changed = (name: string, first: object, ...steps: Step[]): Case => ({
  name,
  steps: [create(things, body(first)), ...steps],
});
const table: Step = {
  method: "GET",
  path: things,
  headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
};

/** Custom resources: schemas, rules, subresources, versions. */
export const customResources: Area = {
  name: "custom-resources",
  fixtures: [{ method: "POST", path: crds, body: definition }],
  ready: [`/apis/${group}/v1/things`, `/apis/${group}/v1beta1/things`],
  cases: [
    tried("plain", {}),
    tried("status is dropped", {}, { status: { replicas: 1 } }),
    tried("wrong enum", { size: "huge" }),
    { name: "required", steps: [create(things, { ...body({}), spec: {} })] },
    { name: "no spec", steps: [create(things, { ...body({}), spec: undefined })] },
    { name: "spec is text", steps: [create(things, { ...body({}), spec: "x" })] },
    tried("negative", { replicas: -1 }),
    tried("replicas text", { replicas: "x" }),
    tried("replicas float", { replicas: 1.5 }),
    tried("replicas big", { replicas: 5000000000 }),
    tried("too long", { short: "abcdef" }),
    tried("pattern", { pattern: "b" }),
    tried("date", { date: "yesterday" }),
    tried("low over high", { low: 2, high: 1 }),
    tried("unlucky", { low: 13 }),
    tried("rules not run", { size: "huge", low: 2, high: 1 }),
    tried("set twice", { set: ["a", "b", "a"] }),
    tried("set too long", { set: ["a", "b", "c", "d", "e"] }),
    tried("map twice", { map: [{ name: "a" }, { name: "a" }] }),
    tried("map without key", { map: [{ value: 1 }] }),
    tried("labels", { labels: { a: 1 } }),
    tried("int or string", { ios: true }),
    tried("int or string good", { ios: "50%" }),
    tried("free", { free: { a: [1, { b: null }] } }),
    tried("embedded", {
      embedded: { apiVersion: "v1", kind: "X", metadata: { name: "A_B", labels: { a: 1 } }, x: 1 },
    }),
    tried("embedded without kind", { embedded: { x: 1 } }),
    tried("null", { nullable: null, short: null, replicas: null }),
    tried("one of none", { one: {} }),
    tried("one of both", { one: { a: "1", b: "2" } }),
    tried("unknown field", { unknown: 1 }),
    {
      name: "unknown field strict",
      steps: [create(things, body({ unknown: 1 }), { query: "fieldValidation=Strict" })],
    },
    {
      name: "unknown field warned",
      steps: [create(things, body({ unknown: 1 }), { query: "fieldValidation=Warn" })],
    },
    {
      name: "duplicate field strict",
      steps: [
        create(
          things,
          `{"apiVersion":"${group}/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"size":"small","size":"large"}}`,
          { query: "fieldValidation=Strict" },
        ),
      ],
    },
    tried("bad name", {}, { metadata: { name: "A_B" } }),
    tried("no name", {}, { metadata: {} }),
    tried("bad label", {}, { metadata: { name: "t", labels: { "a b": "c" } } }),
    tried(
      "finalizers",
      {},
      { metadata: { name: "t", finalizers: ["mine", "a.b", "example.com/x"] } },
    ),
    { name: "wrong kind", steps: [create(things, { ...body({}), kind: "Other" })] },
    { name: "wrong version", steps: [create(things, { ...body({}), apiVersion: `${group}/v9` })] },
    {
      name: "no kind",
      steps: [create(things, { metadata: { name: "t" }, spec: { size: "small" } })],
    },
    changed(
      "transition",
      { fixed: "a" },
      merge(thing, { spec: { fixed: "b" } }),
      merge(thing, { spec: { fixed: null } }),
    ),
    changed(
      "generation",
      {},
      merge(thing, { spec: { low: 1 } }),
      merge(thing, { metadata: { labels: { a: "b" } } }),
    ),
    changed(
      "status",
      {},
      merge(`${thing}/status`, {
        spec: { low: 1 },
        metadata: { labels: { a: "b" } },
        status: { replicas: 5 },
      }),
      read(thing),
      merge(`${thing}/status`, { status: { replicas: 101 } }),
      merge(thing, { status: { replicas: 7 } }),
    ),
    changed(
      "scale",
      {},
      read(`${thing}/scale`),
      merge(`${thing}/scale`, { spec: { replicas: 4 } }),
      read(thing),
      merge(`${thing}/scale`, { spec: { replicas: -1 } }),
      merge(`${thing}/status`, { status: { replicas: 2, selector: "a=b" } }),
      read(`${thing}/scale`),
    ),
    changed("update without version", {}, update(thing, body({ low: 1 }))),
    changed("apply", { low: 1 }, apply(thing, body({ high: 3 }), { manager: "me" })),
    changed(
      "strategic patch",
      {},
      {
        method: "PATCH",
        path: thing,
        headers: { "content-type": "application/strategic-merge-patch+json" },
        body: {},
      },
    ),
    changed("table", { map: [{ name: "a" }, { name: "b" }] }, table),
    changed("other version", {}, read(`${old}/t`), read(`${old}/t/status`), read(`${old}/t/scale`)),
    changed(
      "field selectors",
      {},
      read(`${things}?fieldSelector=spec.size%3Dsmall`),
      read(`${things}?fieldSelector=spec.size%3Dlarge`),
      read(`${things}?fieldSelector=spec.low%3D1`),
      read(`${old}?fieldSelector=spec.size%3Dsmall`),
    ),
    changed(
      "delete collection",
      {},
      { method: "DELETE", path: `${things}?fieldSelector=spec.size%3Dlarge` },
      read(thing),
      { method: "DELETE", path: thing },
      read(thing),
    ),
  ],
};
