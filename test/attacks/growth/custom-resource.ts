import type { Resource } from "#/api/base/resource.ts";
import type { Field, Schema, StructSchema } from "#/api/base/schema.ts";
import { findDefinition } from "#/machinery/schema/definitions.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";

/** A custom resource with every kind of list and map. */
export const gadgets: Resource = {
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  name: "gadgets",
  singular: "gadget",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ["create", "update"],
  subresources: [],
};

const text = { type: "string" } as const;
const item = {
  type: "object",
  required: ["name"],
  properties: { name: text, value: text, list: { type: "array", items: text } },
};

const properties = {
  atomic: { type: "array", items: text },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  named: {
    type: "array",
    items: item,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  },
  numbers: {
    type: "array",
    maxItems: 10_000,
    items: { type: "integer" },
    "x-kubernetes-validations": [{ rule: "self.all(x, x >= 0)" }],
  },
  unique: { type: "array", items: item, uniqueItems: false },
  labels: { type: "object", additionalProperties: text },
  objects: {
    type: "object",
    additionalProperties: { ...item, properties: { ...item.properties, size: defaulted() } },
  },
};

function defaulted() {
  return { type: "integer", default: 1 };
}

/** Serves it. */
export async function serveGadgets(api: TestApiServer): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", properties: spec() } };
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "gadgets", singular: "gadget", kind: "Gadget" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const { status, text: answer } = await api.call(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body,
  );
  if (status !== 201) throw new Error(answer);
  const url = "/apis/example.com/v1/namespaces/default/gadgets";
  await until("gadgets are served", async () => (await api.call("GET", url)).status === 200);
}

const spec = () => ({ spec: { type: "object", properties } });

/** Its shape, as places need it. */
export function gadgetSchema(): StructSchema {
  const metadata = findDefinition("meta/v1", "ObjectMeta");
  if (!metadata) throw new Error("no ObjectMeta");
  const inner = structOf(properties, "Gadget.spec");
  return {
    type: "struct",
    name: "Gadget",
    mapType: "granular",
    fields: new Map([
      ["metadata", fieldOf("metadata", metadata)],
      ["spec", fieldOf("spec", inner)],
    ]),
  };
}

type Properties = Readonly<Record<string, unknown>>;
interface JsonSchema {
  readonly type: string;
  readonly items?: JsonSchema;
  readonly properties?: Properties;
  readonly additionalProperties?: JsonSchema;
  readonly required?: readonly string[];
  readonly "x-kubernetes-list-type"?: "set" | "map";
}

function structOf(fields: Properties, name: string, required: readonly string[] = []) {
  return {
    type: "struct",
    name,
    mapType: "granular",
    fields: new Map(
      Object.entries(fields).map(([key, schema]) => {
        const isRequired = required.includes(key);
        return [key, fieldOf(key, schemaOf(schema as JsonSchema, `${name}.${key}`), isRequired)];
      }),
    ),
  } satisfies StructSchema;
}

function schemaOf(schema: JsonSchema, name: string): Schema {
  if (schema.items) {
    const listType = schema["x-kubernetes-list-type"] ?? "atomic";
    return {
      type: "list",
      listType,
      items: schemaOf(schema.items, name),
      ...(listType === "map" && { keys: ["name"] }),
    };
  }
  if (schema.additionalProperties) {
    const values = schemaOf(schema.additionalProperties, name);
    return { type: "map", mapType: "granular", values };
  }
  if (schema.properties) return structOf(schema.properties, name, schema.required);
  return { type: schema.type === "integer" ? "integer" : "string" };
}

function fieldOf(name: string, schema: Schema, required = false): Field {
  return { name, schema, required, omit: "empty", pointer: false };
}
