import type { Step } from "../case.ts";
import { create } from "./steps.ts";

const text = { type: "string" };
const number = { type: "integer" };
const entry = (more: object = {}) => ({
  type: "object",
  required: ["name"],
  properties: {
    name: text,
    value: number,
    note: text,
    labels: { type: "object", additionalProperties: text },
    inner: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: { type: "object", required: ["id"], properties: { id: number, text } },
    },
    ...more,
  },
});

const spec = {
  type: "object",
  properties: {
    text,
    number,
    flag: { type: "boolean" },
    ratio: { type: "number" },
    replicas: number,
    nullable: { type: "string", nullable: true },
    defaulted: { type: "string", default: "set" },
    intOrString: { "x-kubernetes-int-or-string": true },
    setList: { type: "array", "x-kubernetes-list-type": "set", items: text },
    numberSet: { type: "array", "x-kubernetes-list-type": "set", items: number },
    atomicList: { type: "array", items: text },
    mapList: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: entry(),
    },
    twoKeys: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        required: ["port", "protocol"],
        properties: { port: number, protocol: { type: "string", default: "TCP" }, note: text },
      },
    },
    granular: { type: "object", additionalProperties: text },
    atomicMap: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    struct: {
      type: "object",
      properties: { a: text, b: text, c: { type: "object", properties: { d: text } } },
    },
    atomicStruct: {
      type: "object",
      properties: { a: text, b: text },
      "x-kubernetes-map-type": "atomic",
    },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    open: {
      type: "object",
      properties: { known: text },
      "x-kubernetes-preserve-unknown-fields": true,
    },
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
    mapOfStructs: {
      type: "object",
      additionalProperties: {
        type: "object",
        properties: { a: text, list: { type: "array", items: text } },
      },
    },
  },
};
const status = {
  type: "object",
  properties: {
    phase: text,
    replicas: number,
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: { type: "object", required: ["type"], properties: { type: text, status: text } },
    },
  },
};

/** The OpenAPI schema of a Widget, which has every kind of list and map. */
export const widgetSchema = { type: "object", properties: { spec, status } };

const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: widgetSchema },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.parity.example.com" },
  spec: {
    group: "parity.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [version("v1", true), version("v2", false)],
  },
};

/** Creates the CRD of Widget; applying it twice is harmless. */
export const widgetFixtures: readonly Step[] = [
  {
    ...create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
    method: "PATCH",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.parity.example.com?fieldManager=parity&force=true",
    headers: { "content-type": "application/apply-patch+yaml" },
  },
];

/** Answered with 200 once the CRD is served. */
export const widgetPaths: readonly string[] = [
  "/apis/parity.example.com/v1/namespaces/default/widgets",
  "/apis/parity.example.com/v2/namespaces/default/widgets",
];
