import { append } from "#/std/base/append.ts";
import { type FieldError, formatFieldErrors, invalid } from "../meta/field-error.ts";
import type { FieldPath } from "../meta/field-path.ts";
import { deepCopy } from "../objects/deep-copy.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded-resource.ts";
import { prune, pruneValue } from "./prune.ts";
import { sortKeys } from "./sorted-json.ts";
import { asResourceRoot, metaFields, type StructuralSchema } from "./structural-schema.ts";
import { compileValidator } from "./validator.ts";

/**
 * Puts a value into its enclosing object, at the path of a schema, so that the object can be
 * checked as a whole.
 */
type Enclose = (value: unknown) => Record<string, unknown>;

/** The location of a default. */
interface Place {
  readonly path: FieldPath;
  /** The schema of the enclosing object. */
  readonly root: StructuralSchema;
  readonly enclose: Enclose;
  /** Within apiVersion, kind or metadata. */
  readonly insideMeta: boolean;
}

/** An additional check of a valid default, such as CEL rules. */
export type DefaultCheck = (
  value: unknown,
  schema: StructuralSchema,
  path: FieldPath,
) => FieldError[];

const typeMeta = { kind: "Validation", apiVersion: "validation/v1" };
const rootObject: Enclose = (value) => ({ ...typeMeta, ...(value as object) });

/**
 * Validates the defaults in the schema of a CRD: rejects unknown fields, and values that the schema
 * does not allow.
 *
 * Upstream:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go.
 */
export function validateDefaults(
  schema: StructuralSchema,
  path: FieldPath,
  check: DefaultCheck = () => [],
): FieldError[] {
  const root = asResourceRoot(schema);
  const place = { path, root, enclose: rootObject, insideMeta: false };
  return validateSchema(root, place, check);
}

function validateSchema(schema: StructuralSchema, outer: Place, check: DefaultCheck): FieldError[] {
  const place = schema.embedded
    ? { ...outer, root: schema, enclose: rootObject, insideMeta: false }
    : outer;
  const { path, enclose } = place;
  const errors = schema.default === undefined ? [] : validateDefault(schema, place, check);
  if (schema.items !== undefined) {
    const items = {
      ...place,
      path: path.child("items"),
      enclose: (item: unknown) => enclose([item]),
    };
    append(errors, validateSchema(schema.items, items, check));
  }
  for (const [name, property] of schema.properties) {
    const field = {
      ...place,
      path: path.child("properties").key(name),
      enclose: (value: unknown) => enclose({ [name]: value }),
      insideMeta: place.insideMeta || (schema.embedded && metaFields.has(name)),
    };
    append(errors, validateSchema(property, field, check));
  }
  return errors;
}

function validateDefault(
  schema: StructuralSchema,
  place: Place,
  check: DefaultCheck,
): FieldError[] {
  const path = place.path.child("default");
  const shown = sortKeys(schema.default);
  const errors: FieldError[] = [];
  if (place.insideMeta) {
    const problem = metadataProblem(schema.default, place);
    if (problem !== undefined) {
      return [invalid(path, shown, `must result in valid metadata: ${problem}`)];
    }
  } else {
    const pruned = deepCopy(schema.default);
    if (schema.embedded) prune(pruned, schema);
    else pruneValue(pruned, schema);
    if (!deepEqual(pruned, schema.default)) {
      errors.push(invalid(path, shown, "must not have unknown fields"));
    }
    const options = { isRoot: schema.embedded, path };
    const value = deepCopy(schema.default);
    const wrong = coerceEmbedded(value, schema, options).slice(0, 1);
    if (wrong.length === 0) append(wrong, validateEmbedded(value, schema, options));
    if (wrong.length > 0) return [...errors, ...wrong];
  }
  const wrong = compileValidator(schema).validate(schema.default, path);
  if (wrong.length === 0) append(wrong, check(schema.default, schema, path));
  return [...errors, ...wrong];
}

/**
 * The problem with the metadata of an object that contains the default; undefined if there is none.
 */
function metadataProblem(value: unknown, { root, enclose }: Place): string | undefined {
  const object = enclose(deepCopy(value));
  const options = { isRoot: true };
  const errors = coerceEmbedded(object, root, options).slice(0, 1);
  if (errors.length === 0) append(errors, validateEmbedded(object, root, options));
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}
