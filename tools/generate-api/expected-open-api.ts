import type { FieldFacts } from "../../src/api/base/facts.ts";
import { type FactsByFile, splitReference } from "./facts-by-file.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "./open-api.ts";

/** The definitions as upstream must have them if the facts are right. */
export function expectedOpenApi(facts: FactsByFile): OpenApiDefinitions {
  const definitions = new Map<string, OpenApiSchema>();
  for (const [file, { package: openApiPackage, structs }] of facts) {
    for (const [name, { map }] of Object.entries(structs)) {
      const fields = [...flatFields(facts, file, name)];
      const required = fields.filter(([, , field]) => field.required).map(([key]) => key);
      definitions.set(`${openApiPackage}.${name}`, {
        type: "object",
        ...(fields.length > 0 && {
          properties: Object.fromEntries(
            fields.map(([key, home, field]) => [key, expectedField(facts, home, field)]),
          ),
        }),
        ...(required.length > 0 && { required }),
        ...(map && { "x-kubernetes-map-type": map }),
      });
    }
  }
  return definitions;
}

/** The fields of a struct and of those it embeds, each with the file that declares it. */
function* flatFields(
  facts: FactsByFile,
  file: string,
  name: string,
): Iterable<[string, string, FieldFacts]> {
  for (const [key, field] of Object.entries(facts.get(file)?.structs[name]?.fields ?? {})) {
    if (key.startsWith("...")) yield* flatFields(facts, ...splitReference(file, key.slice(3)));
    else yield [key, file, field];
  }
}

function expectedField(facts: FactsByFile, file: string, field: FieldFacts): OpenApiSchema {
  const { type = "", list, keys, map, patchStrategy, patchMergeKey } = field;
  const schema = expectedType(facts, file, type);
  const preset = "default" in field ? field.default : zeroValue(facts, file, field);
  return {
    ...schema,
    ...(preset !== undefined && { default: preset }),
    ...(list && { "x-kubernetes-list-type": list }),
    ...(keys && { "x-kubernetes-list-map-keys": keys }),
    ...(map && { "x-kubernetes-map-type": map }),
    ...(patchStrategy && { "x-kubernetes-patch-strategy": patchStrategy }),
    ...(patchMergeKey && { "x-kubernetes-patch-merge-key": patchMergeKey }),
  };
}

/** Upstream publishes the zero value as the default of what Go always writes: value structs, and scalars without omitempty. */
function zeroValue(facts: FactsByFile, file: string, { type = "", omit }: FieldFacts): unknown {
  if (/^(\*|\[\]|\{\})/.test(type)) return undefined;
  const [home, name] = splitReference(file, type);
  const named = facts.get(home)?.named[name];
  if (named) return zeroValue(facts, home, { type: named, ...(omit && { omit }) });
  if (facts.get(home)?.structs[name]) return {};
  if (omit !== "never") return undefined;
  if (/^(string|uid|nodeName)$/.test(type) || facts.get(home)?.enums[name]) return "";
  if (type === "boolean") return false;
  return /^(int32|int64|double)$/.test(type) ? 0 : undefined;
}

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

const scalars: Readonly<Record<string, OpenApiSchema>> = {
  string: { type: "string" },
  uid: { type: "string" },
  nodeName: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  any: { type: "object" },
  quantity: { $ref: "io.k8s.apimachinery.pkg.api.resource.Quantity" },
  intOrString: { $ref: "io.k8s.apimachinery.pkg.util.intstr.IntOrString" },
  rawExtension: { $ref: "io.k8s.apimachinery.pkg.runtime.RawExtension" },
  time: { $ref: `${META}.Time` },
  microTime: { $ref: `${META}.MicroTime` },
  duration: { $ref: `${META}.Duration` },
  fieldsV1: { $ref: `${META}.FieldsV1` },
};

const apiextensionsScalars: Readonly<Record<string, string>> = {
  json: "JSON",
  jsonSchemaPropsOrArray: "JSONSchemaPropsOrArray",
  jsonSchemaPropsOrBool: "JSONSchemaPropsOrBool",
  jsonSchemaPropsOrStringArray: "JSONSchemaPropsOrStringArray",
};

function expectedType(facts: FactsByFile, file: string, expression: string): OpenApiSchema {
  if (expression.startsWith("*")) return expectedType(facts, file, expression.slice(1));
  if (expression.startsWith("[]"))
    return { type: "array", items: expectedType(facts, file, expression.slice(2)) };
  if (expression.startsWith("{}")) {
    return { type: "object", additionalProperties: expectedType(facts, file, expression.slice(2)) };
  }
  const special = apiextensionsScalars[expression];
  if (special) return { $ref: `${facts.get(file)?.package}.${special}` };
  const scalar = scalars[expression];
  if (scalar) return scalar;
  const [home, name] = splitReference(file, expression);
  const values = facts.get(home)?.enums[name];
  if (values) return { type: "string", enum: values };
  const named = facts.get(home)?.named[name];
  if (named) return expectedType(facts, home, named);
  const items = facts.get(home)?.lists[name];
  return items
    ? expectedType(facts, home, `[]${items}`)
    : { $ref: `${facts.get(home)?.package}.${name}` };
}
