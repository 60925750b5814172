import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from "#/api/apiextensions/v1.ts";
import { FieldPathError, parseFieldPath } from "#/machinery/cel/rules/field-path.ts";
import type { JsonSchema } from "#/machinery/cel/schema/json-schema.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  required,
  tooMany,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";

/**
 * Rules for the parts of a version other than its schema.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */

const maxSelectableFields = 8;
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

/** Validates a column of `kubectl get`. */
export function validateColumn(
  column: CustomResourceColumnDefinition,
  path: FieldPath,
): FieldError[] {
  const { name, type, format, jsonPath } = column;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(path.child("name")));
  const types = `must be one of ${columnTypes.join(",")}`;
  if (!type) errors.push(required(path.child("type"), types));
  else if (!columnTypes.includes(type)) errors.push(invalid(path.child("type"), type, types));
  if (format && !columnFormats.includes(format)) {
    const detail = `must be one of ${columnFormats.join(",")}`;
    errors.push(invalid(path.child("format"), format, detail));
  }
  const at = path.child("JSONPath");
  return [...errors, ...(jsonPath ? validateSimplePath(jsonPath, at) : [required(at)])];
}

function validateSimplePath(text: string, path: FieldPath): FieldError[] {
  if (text.startsWith(".")) return [];
  return [invalid(path, text, "must be a simple json path starting with .")];
}

/** Validates the paths of a scale subresource. */
export function validateSubresources(
  { scale }: CustomResourceSubresources,
  path: FieldPath,
): FieldError[] {
  if (!scale) return [];
  const within = (name: string, text: string | undefined, roots: readonly string[]) => {
    const at = path.child(`scale.${name}`);
    if (!text) return [required(at)];
    const errors = validateSimplePath(text, at);
    if (errors.length > 0 || roots.some((root) => text.startsWith(`${root}.`))) return errors;
    const where = roots.length > 1 ? `either ${roots.join(" or ")}` : (roots[0] ?? "");
    return [invalid(at, text, `should be a json path under ${where}`)];
  };
  return [
    ...within("specReplicasPath", scale.specReplicasPath, [".spec"]),
    ...within("statusReplicasPath", scale.statusReplicasPath, [".status"]),
    ...(scale.labelSelectorPath
      ? within("labelSelectorPath", scale.labelSelectorPath, [".spec", ".status"])
      : []),
  ];
}

/** Validates the fields that field selectors may name. */
export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: FieldPath,
  { anyNumber }: { anyNumber: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const found = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = path.index(index).child("jsonPath");
    if (!jsonPath) {
      errors.push(required(at));
      continue;
    }
    const problem = pathProblem(jsonPath, schema);
    if (problem !== undefined) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${problem}`));
      continue;
    }
    const names = jsonPath.split(".").slice(1);
    if (names[0] === "metadata") {
      errors.push(invalid(at, jsonPath, "must not point to fields in metadata"));
    }
    if (!isSelectable(schema, names)) {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalid(at, jsonPath, detail));
    }
    const key = names.join(".");
    if (found.has(key)) errors.push(duplicate(at, jsonPath));
    found.add(key);
  }
  if (found.size > maxSelectableFields && !anyNumber) {
    errors.push(tooMany(path, found.size, maxSelectableFields));
  }
  return errors;
}

function pathProblem(jsonPath: string, schema: JSONSchemaProps): string | undefined {
  const bracket = jsonPath.indexOf("[");
  try {
    parseFieldPath(bracket < 0 ? jsonPath : jsonPath.slice(0, bracket), schema as JsonSchema);
    return bracket < 0 ? undefined : "array notation is not allowed";
  } catch (error) {
    if (!(error instanceof FieldPathError)) throw error;
    return error.message;
  }
}

function isSelectable(schema: JSONSchemaProps, names: readonly string[]): boolean {
  const leaf = names.reduce<JSONSchemaProps>(fieldSchema, schema);
  return ["string", "boolean", "integer"].includes(leaf.type ?? "");
}

function fieldSchema({ properties, additionalProperties }: JSONSchemaProps, name: string) {
  const values = typeof additionalProperties === "object" ? additionalProperties : {};
  return properties?.[name] ?? values;
}

/** Problems of the deprecation warning of a version. */
export function deprecationProblems(
  deprecated: boolean | undefined,
  warning: string | undefined,
): string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > 256) problems.push("must be <= 256 characters long");
  if (warning === "") problems.push("must not be an empty string");
  const unprintable = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (unprintable >= 0) {
    const index = Buffer.byteLength(warning.slice(0, unprintable));
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
  }
  return problems;
}
