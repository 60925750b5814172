import type { Schema } from "#/api/schema.ts";

const names: Readonly<Record<string, string>> = {
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
};

/** What Go calls the type in its errors. */
export function goTypeName(schema: Schema): string {
  if ("goName" in schema && schema.goName) return schema.goName;
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int64";
    case "list":
      return `[]${goTypeName(schema.items)}`;
    case "map":
      if (schema.values.type === "quantity") return "v1.ResourceList";
      return `map[string]${goTypeName(schema.values)}`;
    case "struct":
      return schema.name?.split(".").slice(-2).join(".") ?? "map[string]interface {}";
    default:
      return names[schema.type] ?? schema.type;
  }
}

/** The name of a struct without its package: PodSpec. */
export function structName(openApiName: string | undefined): string {
  return openApiName?.slice(openApiName.lastIndexOf(".") + 1) ?? "";
}
