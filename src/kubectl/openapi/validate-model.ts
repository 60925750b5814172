/** Upstream: k8s.io/kube-openapi/pkg/util/proto/validation. */
import { goQuote } from "#/std/go/go-quote.ts";
import type { Model } from "./models.ts";

/** The errors of a value, in upstream's order: fields by name, then missing fields. */
export function validateModel(value: unknown, model: Model, path: string): string[] {
  if (value === null || value === undefined) return [unknownType(path)];
  if (model.type === "reference") return validateModel(value, model.target(), path);
  if (model.type === "arbitrary") return [];
  if (Array.isArray(value)) return validateList(value, model, path);
  if (typeof value === "object") return validateMap(value as Fields, model, path);
  return validatePrimitive(value, model, path);
}

type Fields = Readonly<Record<string, unknown>>;

const problem = (path: string, text: string): string => `ValidationError(${path}): ${text}`;
const unknownType = (path: string): string => `unknown object type "nil" in ${path}`;

function wrongType(path: string, model: Model, given: string): string {
  const wanted = model.type === "primitive" ? model.name : model.type === "array" ? "array" : "map";
  return problem(
    path,
    `invalid type for ${model.path}: got ${goQuote(given)}, expected ${goQuote(wanted)}`,
  );
}

function validateList(items: readonly unknown[], model: Model, path: string): string[] {
  if (model.type !== "array") return [wrongType(path, model, "array")];
  return items.flatMap((item, i) =>
    item === null
      ? [problem(path, unknownType(`${path}[${i}]`))]
      : validateModel(item, model.items, `${path}[${i}]`),
  );
}

function validateMap(fields: Fields, model: Model, path: string): string[] {
  const keys = Object.keys(fields).sort();
  if (model.type === "map") {
    return keys.flatMap((key) => validateModel(fields[key], model.values, `${path}.${key}`));
  }
  if (model.type !== "kind") return [wrongType(path, model, "map")];
  const isNull = (key: string): boolean => fields[key] === null || fields[key] === undefined;
  const found = keys
    .filter((key) => !isNull(key))
    .flatMap((key) => {
      const field = model.fields.get(key);
      if (!field) return [problem(path, `unknown field ${goQuote(key)} in ${model.path}`)];
      return validateModel(fields[key], field, `${path}.${key}`);
    });
  const missing = model.required
    .filter(isNull)
    .map((key) => problem(path, `missing required field ${goQuote(key)} in ${model.path}`));
  return [...found, ...missing];
}

function validatePrimitive(value: unknown, model: Model, path: string): string[] {
  const given = primitiveType(value);
  if (model.type !== "primitive") return [wrongType(path, model, given)];
  // Any scalar is a valid string: it may be written as a number.
  const isNumber = given === "integer" || given === "number";
  const takesNumbers = model.name === "integer" || model.name === "number";
  if (model.name === "string" || model.name === given || (isNumber && takesNumbers)) return [];
  return [wrongType(path, model, given)];
}

function primitiveType(value: unknown): string {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  return Number.isInteger(value) || typeof value === "bigint" ? "integer" : "number";
}
