import type { Field, Schema } from "#/api/base/schema.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { widgetSchema } from "./cases/widget.ts";

/** The part of OpenAPI that the CRD of Widget uses. */
interface OpenApi {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly additionalProperties?: OpenApi;
  readonly items?: OpenApi;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

function toSchema(openApi: OpenApi): Schema {
  const nullable = openApi.nullable === true;
  if (openApi["x-kubernetes-int-or-string"]) return { type: "intOrString" };
  switch (openApi.type) {
    case undefined:
      return { type: "any" };
    case "array":
      return {
        type: "list",
        items: toSchema(openApi.items ?? {}),
        listType: openApi["x-kubernetes-list-type"] ?? "atomic",
        ...(openApi["x-kubernetes-list-map-keys"] && {
          keys: openApi["x-kubernetes-list-map-keys"],
        }),
      };
    case "object":
      return toObjectSchema(openApi);
    default:
      return { type: openApi.type as "string", nullable };
  }
}

function toObjectSchema(openApi: OpenApi): Schema {
  const mapType = openApi["x-kubernetes-map-type"] ?? "granular";
  if (openApi.additionalProperties) {
    return { type: "map", values: toSchema(openApi.additionalProperties), mapType };
  }
  const fields = Object.entries(openApi.properties ?? {}).map(([name, property]) =>
    toField(name, toSchema(property), property.default),
  );
  return {
    type: "struct",
    fields: new Map(fields.map((field) => [field.name, field])),
    mapType,
    preserveUnknown: openApi["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: openApi["x-kubernetes-embedded-resource"] === true,
  };
}

const toField = (name: string, schema: Schema, value?: unknown): Field => ({
  name,
  schema,
  required: false,
  omit: "empty",
  pointer: true,
  ...(value === undefined ? {} : { default: value }),
});

function rootSchema(): Schema {
  const root = toObjectSchema(widgetSchema as OpenApi);
  const metadata = findSchema("", "v1", "ConfigMap")?.fields.get("metadata");
  if (root.type !== "struct" || !metadata) throw new Error("no schema");
  const text: Schema = { type: "string" };
  return {
    ...root,
    fields: new Map([
      ["apiVersion", toField("apiVersion", text)],
      ["kind", toField("kind", text)],
      ["metadata", metadata],
      ...root.fields,
    ]),
  };
}

/** The schema of a Widget, as its CRD yields it. */
export const widget: Schema = rootSchema();
