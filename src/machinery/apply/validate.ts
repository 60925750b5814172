import { append } from "#/std/base/append.ts";
import { goSyntax, goType, goValue } from "../patch/values/go-value.ts";
import { isJsonObject, type JsonObject } from "../patch/values/json-value.ts";
import { anyType, type FieldType } from "./field-type.ts";
import { type PathElement, printElement } from "./path-element.ts";
import { ItemError, itemElement, memberType } from "./typed-value.ts";

/**
 * Validates an object by its schema. Returns messages with paths; empty if the object is valid.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/validate.go.
 */
export function validateObject(type: FieldType, object: JsonObject): readonly string[] {
  return validate(type, object).map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`,
  );
}

/** Joins messages as upstream does. */
export const joinMessages = (messages: readonly string[]): string =>
  messages.length === 1
    ? (messages[0] ?? "")
    : ["errors:", ...messages.map((message) => `  ${message}`)].join("\n");

interface Problem {
  readonly path: string;
  readonly message: string;
}

const problem = (message: string): Problem[] => [{ path: "", message }];

function validate(type: FieldType, value: unknown): Problem[] {
  if (value === null || value === undefined) return [];
  if (type.kind === "scalar") return validateScalar(type, value);
  if (type.kind === "any") return validateAny(type, value);
  if (type.kind === "list") {
    return Array.isArray(value)
      ? validateList(type, value)
      : problem(`expected list, got ${shown(value)}`);
  }
  return isJsonObject(value)
    ? validateMap(type, value)
    : problem(`expected map, got ${shown(value)}`);
}

/** A value as Go prints upstream's wrapper of it. */
const shown = (value: unknown): string => `&{${goValue(value)}}`;

function validateAny(type: FieldType, value: unknown): Problem[] {
  if (Array.isArray(value)) return validateItems(anyType, value);
  return isJsonObject(value) ? validateMap(type, value) : [];
}

function validateScalar({ scalar }: FieldType, value: unknown): Problem[] {
  switch (scalar) {
    case "numeric":
      if (typeof value === "number" || typeof value === "bigint") return [];
      return problem(`expected numeric (int or float), got ${goType(value)}`);
    case "string":
      if (typeof value === "string") return [];
      return problem(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    case "boolean":
      return typeof value === "boolean" ? [] : problem(`expected boolean, got ${shown(value)}`);
    default:
      return typeof value !== "object" ? [] : problem(`expected any scalar, got ${shown(value)}`);
  }
}

function validateList(type: FieldType, list: readonly unknown[]): Problem[] {
  return type.atomic ? validateItems(type.item ?? anyType, list) : validateKeyedItems(type, list);
}

const validateItems = (type: FieldType, list: readonly unknown[]): Problem[] =>
  list.flatMap((item, index) => below(`i:${index}`, validate(type, item)));

function validateKeyedItems(type: FieldType, list: readonly unknown[]): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    const element = attemptElement(type, item);
    if (element instanceof ItemError) {
      return [...problems, ...problem(`element ${index}: ${element.message}`)];
    }
    if (seen.has(element))
      append(problems, problem(`duplicate entries for key ${printElement(element)}`));
    seen.add(element);
    append(problems, below(element, validate(type.item ?? anyType, item)));
  }
  return problems;
}

function attemptElement(type: FieldType, item: unknown): PathElement | ItemError {
  try {
    return itemElement(type, item);
  } catch (error) {
    if (error instanceof ItemError) return error;
    throw error;
  }
}

function validateMap(type: FieldType, map: JsonObject): Problem[] {
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(map)) {
    const member = type.kind === "any" ? type : memberType(type, key);
    if (!member) return [...problems, { path: `.${key}`, message: "field not declared in schema" }];
    append(problems, below(`f:${key}`, validate(member, value)));
  }
  return problems;
}

const below = (element: PathElement, problems: readonly Problem[]): Problem[] =>
  problems.map(({ path, message }) => ({ path: printElement(element) + path, message }));
