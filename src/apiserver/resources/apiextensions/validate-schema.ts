import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { append } from "#/std/base/append.ts";
import { validateListMapKeys, validateSetItems } from "./list-rules.ts";

/** The rules to apply; an update may keep values that an earlier release accepted. */
export interface SchemaRules {
  readonly knownTypes: boolean;
  readonly atomicSets: boolean;
  readonly listKeys: boolean;
}

/** Position of a schema, and the restrictions that follow from it. */
interface Place {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** Inside apiVersion, kind or metadata of an object. */
  readonly insideMeta: boolean;
  /** Why defaults are not allowed here; undefined if they are. */
  readonly noDefault: string | undefined;
}

const knownTypes = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

/**
 * Validation errors of a schema and the schemas inside it, except structural errors and errors of CEL rules.
 * Adds each schema that has an error, or contains one, to `unsound`.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
 */
export function validateSchema(
  schema: JSONSchemaProps,
  path: FieldPath,
  rules: SchemaRules,
  unsound: Set<JSONSchemaProps>,
): FieldError[] {
  const visit = (one: JSONSchemaProps, place: Place): FieldError[] => {
    const errors = [...validateKeywords(one, place, rules), ...validateMapExclusion(one, place)];
    for (const [child, childPlace] of children(one, place))
      append(errors, visit(child, childPlace));
    append(errors, validateExtensions(one, place.path));
    append(errors, validateListType(one, place.path, rules));
    if (errors.length > 0) unsound.add(one);
    return errors;
  };
  return visit(schema, { path, isRoot: true, insideMeta: false, noDefault: undefined });
}

function validateKeywords(
  schema: JSONSchemaProps,
  { path, noDefault, insideMeta }: Place,
  rules: SchemaRules,
): FieldError[] {
  const { type = "", items } = schema;
  const errors: FieldError[] = [];
  const forbid = (name: string, detail = `${name} is not supported`): void => {
    errors.push(forbidden(path.child(name), detail));
  };
  if (rules.knownTypes && type !== "" && !knownTypes.includes(type)) {
    errors.push(notSupported(path.child("type"), type, knownTypes));
  }
  if (isSet(schema.default) && noDefault !== undefined)
    forbid("default", `must not be set ${noDefault}`);
  if (schema.id) forbid("id");
  if (schema.additionalItems !== undefined) forbid("additionalItems");
  if (hasKeys(schema.patternProperties)) forbid("patternProperties");
  if (hasKeys(schema.definitions)) forbid("definitions");
  if (schema.dependencies !== undefined) forbid("dependencies");
  if (schema.$ref !== undefined) forbid("$ref");
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(items) && items.length > 0) {
    forbid("items", "items must be a schema object and not an array");
  }
  if (insideMeta && schema["x-kubernetes-embedded-resource"]) {
    forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (schema.uniqueItems) {
    forbid(
      "uniqueItems",
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    );
  }
  return errors;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const hasKeys = (value: object | undefined): boolean =>
  value !== undefined && Object.keys(value).length > 0;

function validateMapExclusion(schema: JSONSchemaProps, { path }: Place): FieldError[] {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined || additionalProperties === true) return [];
  if (!hasKeys(schema.properties)) return [];
  const detail = "additionalProperties and properties are mutual exclusive";
  return [forbidden(path.child("additionalProperties"), detail)];
}

/** The schemas directly inside a schema, each with its position. */
function* children(
  schema: JSONSchemaProps,
  place: Place,
): Generator<[JSONSchemaProps, Place], void> {
  const { path } = place;
  const at = (childPath: FieldPath): Place => ({ ...place, path: childPath, isRoot: false });
  if (typeof schema.additionalProperties === "object") {
    const child = at(path.child("additionalProperties"));
    const noDefault = place.insideMeta
      ? "inside additionalProperties applying to object metadata"
      : place.noDefault;
    yield [schema.additionalProperties, { ...child, noDefault }];
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [property, propertyPlace(schema, name, place, at(path.child("properties").key(name)))];
  }
  if (schema.not !== undefined) yield [schema.not, at(path.child("not"))];
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, one] of (schema[name] ?? []).entries()) {
      yield [one, at(path.child(name).index(index))];
    }
  }
  for (const [name, one] of Object.entries(schema.definitions ?? {})) {
    yield [one, at(path.child("definitions").key(name))];
  }
  const { items } = schema;
  if (Array.isArray(items)) {
    for (const [index, one] of items.entries()) yield [one, at(path.child("items").index(index))];
  } else if (items !== undefined) {
    yield [items, at(path.child("items"))];
  }
  for (const [name, one] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(one)) yield [one, at(path.child("dependencies").key(name))];
  }
}

function propertyPlace(schema: JSONSchemaProps, name: string, outer: Place, place: Place): Place {
  const isObject = outer.isRoot || schema["x-kubernetes-embedded-resource"] === true;
  if (!isObject || !metaFields.has(name)) return place;
  const noDefault = outer.isRoot ? `in top-level ${name}` : place.noDefault;
  return { ...place, insideMeta: true, noDefault };
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const at = path.child("x-kubernetes-preserve-unknown-fields");
    errors.push(invalid(at, false, "must be true or undefined"));
  }
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return errors;
  append(errors, wrongType(schema, "object", "x-kubernetes-map-type", path));
  if (mapType !== "atomic" && mapType !== "granular") {
    const at = path.child("x-kubernetes-map-type");
    errors.push(notSupported(at, mapType, ["atomic", "granular"]));
  }
  return errors;
}

function wrongType(
  { type = "" }: JSONSchemaProps,
  requiredType: string,
  extension: string,
  path: FieldPath,
): FieldError[] {
  if (type === requiredType) return [];
  const detail = `must be ${requiredType} if ${extension} is specified`;
  const at = path.child("type");
  return [type === "" ? required(at, detail) : invalid(at, type, detail)];
}

function validateListType(
  schema: JSONSchemaProps,
  path: FieldPath,
  rules: SchemaRules,
): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = path.child("x-kubernetes-list-type");
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    const wrong = wrongType(schema, "array", "x-kubernetes-list-type", path);
    append(errors, wrong);
    if (wrong.length === 0 && rules.atomicSets) append(errors, validateSetItems(schema, path));
    const supported = ["atomic", "set", "map"];
    if (!supported.includes(listType)) errors.push(notSupported(at, listType, supported));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  return [...errors, ...validateListMapKeys(schema, path, rules.listKeys)];
}
