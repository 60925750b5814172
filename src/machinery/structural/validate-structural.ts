import type { JSONSchemaProps } from "#/api/apiextensions/v1.ts";
import { append } from "#/std/base/append.ts";
import {
  type FieldError,
  forbidden,
  formatFieldError,
  invalid,
  required,
} from "../meta/field-error.ts";
import type { FieldPath } from "../meta/field-path.ts";
import { deepEqual } from "../objects/deep-equal.ts";
import { compilePattern, PatternError } from "./pattern.ts";
import { validateCompleteness } from "./structural-completeness.ts";
import { itemsOf } from "./structural-schema.ts";

type Level = "root" | "item" | "field";

/**
 * Validates that a schema is structural; errors are sorted by message: missing types, structure
 * below allOf, anyOf, oneOf or not, and rules for fields that are not in the structure.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/validation.go,
 * complete.go.
 */
export function validateStructural(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors = [
    ...validateInvariants(schema, "root", path),
    ...validateCompleteness(schema, path),
  ];
  const keyed = errors.map((error) => ({ error, text: formatFieldError(error) }));
  return keyed
    .sort((a, b) => Number(a.text > b.text) - Number(a.text < b.text))
    .map(({ error }) => error);
}

function validateInvariants(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const { type = "", items, properties = {}, additionalProperties } = schema;
  const errors: FieldError[] = [];
  if (type === "array" && items === undefined) {
    errors.push(required(path.child("items"), "must be specified"));
  }
  if (items !== undefined) {
    append(errors, validateInvariants(itemsOf(items), "item", path.child("items")));
  }
  for (const [name, property] of Object.entries(properties)) {
    append(errors, validateInvariants(property, "field", path.child("properties").key(name)));
  }
  if (additionalProperties !== undefined && level === "root") {
    errors.push(forbidden(path.child("additionalProperties"), "must not be used at the root"));
  }
  if (typeof additionalProperties === "object") {
    const at = path.child("additionalProperties");
    append(errors, validateInvariants(additionalProperties, "field", at));
  }
  append(errors, validateExtensions(schema, path));
  append(errors, validateJunctors(schema, path, isIntOrStringPattern(schema.anyOf)));
  append(errors, validateType(schema, level, path));
  append(errors, validateMeta(schema, level, path));
  return errors;
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  if (!schema["x-kubernetes-int-or-string"]) return [];
  const names = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;
  const detail = "must be false if x-kubernetes-int-or-string is true";
  return names
    .filter((name) => schema[name] === true)
    .map((name) => invalid(path.child(name), true, detail));
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const { type = "", additionalProperties, properties = {} } = schema;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const preserving = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const at = path.child("type");
  const errors: FieldError[] = [];
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(at, detail) : invalid(at, type, detail));
  } else if (type === "" && !schema["x-kubernetes-int-or-string"] && !preserving) {
    errors.push(required(at, missingType[level]));
  }
  if (embedded && additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(path.child("additionalProperties"), detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(at, type, "must be object at the root"));
  }
  if (embedded && !preserving && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(path.child("properties"), detail));
  }
  return errors;
}

/**
 * apiVersion and kind of an object are strings; in metadata only the name may be restricted, and
 * only at the root.
 */
function validateMeta(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const { properties = {} } = schema;
  const isObject = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  const checkType = (name: string, expected: string): void => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined || !isObject || property.type === expected) return;
    const at = path.child("properties").key(name).child("type");
    errors.push(invalid(at, property.type ?? "", `must be ${expected}`));
  };
  checkType("kind", "string");
  checkType("apiVersion", "string");
  checkType("metadata", "object");
  const { metadata } = properties;
  if (level === "root" && metadata !== undefined && !restrictsNameOnly(metadata)) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(path.child("properties").key("metadata"), detail));
  }
  return errors;
}

function restrictsNameOnly({ properties = {}, ...rest }: JSONSchemaProps): boolean {
  const names = Object.keys(properties);
  const { type: _type, default: _default, ...others } = rest;
  return (
    names.every((name) => name === "name" || name === "generateName") &&
    Object.keys(others).length === 0
  );
}

const intOrString = [{ type: "integer" }, { type: "string" }];

function isIntOrStringPattern(anyOf: readonly JSONSchemaProps[] | undefined): boolean {
  return anyOf !== undefined && deepEqual(anyOf, intOrString);
}

/**
 * Validates the rules for values; an integer-or-string may be written as anyOf, or as anyOf in the
 * first schema of allOf.
 */
function validateJunctors(
  schema: JSONSchemaProps,
  path: FieldPath,
  skipAnyOf: boolean,
): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = "" } = schema;
  const errors: FieldError[] = [];
  const nested = (name: string, schemas: readonly JSONSchemaProps[]): void => {
    schemas.forEach((one, index) => {
      const skip = name === "allOf" && index === 0 && isIntOrStringPattern(one.anyOf);
      append(errors, validateNested(one, path.child(name).index(index), skip));
    });
  };
  if (!skipAnyOf) nested("anyOf", anyOf);
  nested("allOf", allOf);
  nested("oneOf", oneOf);
  if (not !== undefined) append(errors, validateNested(not, path.child("not"), false));
  return pattern === "" ? errors : [...errors, ...validatePattern(pattern, path.child("pattern"))];
}

function validatePattern(pattern: string, path: FieldPath): FieldError[] {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const detail = `must be a valid regular expression, but isn't: ${error.message}`;
    return [invalid(path, pattern, detail)];
  }
}

/** Keywords that are not allowed below allOf, anyOf, oneOf or not, with their messages. */
const forbiddenNested: readonly [name: keyof JSONSchemaProps, state: string][] = [
  ["type", "empty"],
  ["additionalProperties", "undefined"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function validateNested(
  schema: JSONSchemaProps,
  path: FieldPath,
  skipAnyOf: boolean,
): FieldError[] {
  const errors = validateJunctors(schema, path, skipAnyOf);
  if (schema.items !== undefined) {
    append(errors, validateNested(itemsOf(schema.items), path.child("items"), false));
  }
  const { properties = {} } = schema;
  for (const [name, property] of Object.entries(properties)) {
    append(errors, validateNested(property, path.child("properties").key(name), false));
  }
  for (const [name, state] of forbiddenNested) {
    if (!isSet(schema[name], state)) continue;
    errors.push(forbidden(path.child(name), `must be ${state} to be structural`));
  }
  if (Object.hasOwn(properties, "metadata")) {
    const at = path.child("properties").key("metadata");
    errors.push(forbidden(at, "must not be specified in a nested context"));
  }
  return errors;
}

function isSet(value: unknown, state: string): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (state !== "empty") return true;
  return Array.isArray(value) ? value.length > 0 : value !== "";
}
