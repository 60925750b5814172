import type { JSONSchemaProps, ValidationRule } from "#/api/apiextensions/v1.ts";
import type { HubVersion } from "./hub-spec.ts";

/**
 * Versions and schemas as messages show them: the fields of upstream's internal types, by their Go names.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types.go, types_jsonschema.go.
 */
export function shownVersions(versions: readonly HubVersion[]): unknown[] {
  return versions.map((version) => ({
    Name: version.name ?? "",
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema
      ? {
          OpenAPIV3Schema: version.schema.openAPIV3Schema
            ? shownSchema(version.schema.openAPIV3Schema)
            : null,
        }
      : null,
    Subresources: version.subresources ? shownSubresources(version.subresources) : null,
    AdditionalPrinterColumns:
      version.additionalPrinterColumns?.map((column) => ({
        Name: column.name ?? "",
        Type: column.type ?? "",
        Format: column.format ?? "",
        Description: column.description ?? "",
        Priority: column.priority ?? 0,
        JSONPath: column.jsonPath ?? "",
      })) ?? null,
    SelectableFields:
      version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  }));
}

function shownSubresources({
  status,
  scale,
}: NonNullable<HubVersion["subresources"]>): Record<string, unknown> {
  return {
    Status: status ?? null,
    Scale: scale
      ? {
          SpecReplicasPath: scale.specReplicasPath ?? "",
          StatusReplicasPath: scale.statusReplicasPath ?? "",
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  };
}

type Show = (value: never) => unknown;

/** Every field in upstream's order: Go name, text of the unset value, wire name, formatter of the value. */
const schemaFields: readonly (readonly [
  name: string,
  unset: unknown,
  wire: keyof JSONSchemaProps,
  show?: Show,
])[] = [
  ["ID", "", "id"],
  ["Schema", "", "$schema"],
  ["Ref", null, "$ref"],
  ["Description", "", "description"],
  ["Type", "", "type"],
  ["Nullable", false, "nullable"],
  ["Format", "", "format"],
  ["Title", "", "title"],
  ["Default", null, "default"],
  ["Maximum", null, "maximum"],
  ["ExclusiveMaximum", false, "exclusiveMaximum"],
  ["Minimum", null, "minimum"],
  ["ExclusiveMinimum", false, "exclusiveMinimum"],
  ["MaxLength", null, "maxLength"],
  ["MinLength", null, "minLength"],
  ["Pattern", "", "pattern"],
  ["MaxItems", null, "maxItems"],
  ["MinItems", null, "minItems"],
  ["UniqueItems", false, "uniqueItems"],
  ["MultipleOf", null, "multipleOf"],
  ["Enum", null, "enum"],
  ["MaxProperties", null, "maxProperties"],
  ["MinProperties", null, "minProperties"],
  ["Required", null, "required"],
  ["Items", null, "items", shownItems],
  ["AllOf", null, "allOf", shownList],
  ["OneOf", null, "oneOf", shownList],
  ["AnyOf", null, "anyOf", shownList],
  ["Not", null, "not", shownSchema],
  ["Properties", null, "properties", shownMap],
  ["AdditionalProperties", null, "additionalProperties", shownOrBool],
  ["PatternProperties", null, "patternProperties", shownMap],
  ["Dependencies", null, "dependencies"],
  ["AdditionalItems", null, "additionalItems", shownOrBool],
  ["Definitions", null, "definitions", shownMap],
  ["ExternalDocs", null, "externalDocs", shownDocs],
  ["Example", null, "example"],
  ["XPreserveUnknownFields", null, "x-kubernetes-preserve-unknown-fields"],
  ["XEmbeddedResource", false, "x-kubernetes-embedded-resource"],
  ["XIntOrString", false, "x-kubernetes-int-or-string"],
  ["XListMapKeys", null, "x-kubernetes-list-map-keys"],
  ["XListType", null, "x-kubernetes-list-type"],
  ["XMapType", null, "x-kubernetes-map-type"],
  ["XValidations", null, "x-kubernetes-validations", shownRules],
];

/** Formats a schema for a message. */
export function shownSchema(schema: JSONSchemaProps): Record<string, unknown> {
  const entries = schemaFields.map(([name, unset, wire, show]) => {
    const value = schema[wire];
    if (value === undefined || value === null) return [name, unset];
    return [name, show ? show(value as never) : value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The Go names of the fields that a schema sets, in upstream's order. */
export function setFields(schema: JSONSchemaProps): string[] {
  return schemaFields
    .filter(([, unset, wire]) => {
      const value = schema[wire];
      return value !== undefined && value !== null && value !== unset;
    })
    .map(([name]) => name);
}

function shownItems(items: JSONSchemaProps | JSONSchemaProps[]): unknown {
  return Array.isArray(items)
    ? { Schema: null, JSONSchemas: shownList(items) }
    : { Schema: shownSchema(items), JSONSchemas: null };
}

function shownList(schemas: readonly JSONSchemaProps[]): unknown[] {
  return schemas.map(shownSchema);
}

function shownMap(schemas: Readonly<Record<string, JSONSchemaProps>>): Record<string, unknown> {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, shownSchema(schemas[name] ?? {})]));
}

function shownOrBool(value: boolean | JSONSchemaProps): unknown {
  return typeof value === "boolean"
    ? { Allows: value, Schema: null }
    : { Allows: true, Schema: shownSchema(value) };
}

function shownDocs({ description = "", url = "" }: { description?: string; url?: string }) {
  return { Description: description, URL: url };
}

function shownRules(rules: readonly ValidationRule[]): unknown[] {
  return rules.map((rule) => ({
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }));
}
