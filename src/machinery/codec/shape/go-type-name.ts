import type { Schema } from "#/api/base/schema.ts";
import { table } from "#/std/base/table.ts";

const names: Readonly<Record<string, string>> = table({
  string: "string",
  boolean: "bool",
  number: "float64",
  bytes: "[]uint8",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  duration: "v1.Duration",
  rawExtension: "runtime.RawExtension",
  fieldsV1: "v1.FieldsV1",
  json: "v1.JSON",
  jsonSchemaPropsOrBool: "v1.JSONSchemaPropsOrBool",
  jsonSchemaPropsOrArray: "v1.JSONSchemaPropsOrArray",
  jsonSchemaPropsOrStringArray: "v1.JSONSchemaPropsOrStringArray",
  any: "interface {}",
});

/** The name of the type in Go's errors. */
export function goTypeName(schema: Schema): string {
  if ("goName" in schema && schema.goName) return schema.goName;
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int64";
    case "list":
      return `[]${goTypeName(schema.items)}`;
    case "map":
      if (schema.values.type === "quantity") return "v1.ResourceList";
      return mapTypeName(goTypeName(schema.values));
    case "struct":
      return schema.name?.split(".").slice(-2).join(".") ?? "map[string]interface {}";
    default:
      return names[schema.type] ?? schema.type;
  }
}

/** Names of Go's key types, by the type of the map's values. */
const keyTypes: Readonly<Record<string, string>> = table({
  ClaimResourceStatus: "ResourceName",
  DeviceAttribute: "QualifiedName",
  DeviceCapacity: "QualifiedName",
});

function mapTypeName(values: string): string {
  const [version = "", name = ""] = values.split(".");
  const key = keyTypes[name];
  return `map[${key === undefined ? "string" : `${version}.${key}`}]${values}`;
}

/** The name of a struct without its package: PodSpec. */
export function structName(openApiName: string | undefined): string {
  return openApiName?.slice(openApiName.lastIndexOf(".") + 1) ?? "";
}
