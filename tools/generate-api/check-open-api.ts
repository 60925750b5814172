import { asRawExtension } from "./facts-by-file.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "./open-api.ts";

/** Says where upstream's definitions are not what the facts lead to expect: one line for each difference. */
export function checkOpenApi(expected: OpenApiDefinitions, actual: OpenApiDefinitions): string[] {
  return [...actual].flatMap(([name, schema]) => {
    const own = expected.get(name);
    return own ? compare(name, own, schema) : [];
  });
}

function compare(where: string, expected: OpenApiSchema, actual: OpenApiSchema): string[] {
  const {
    properties: ownFields = {},
    items: ownItems,
    additionalProperties: ownValues,
    ...own
  } = expected;
  const { properties: fields = {}, items, additionalProperties: values, ...rest } = actual;
  const wanted: Record<string, unknown> = { ...own };
  const found: Record<string, unknown> = {
    ...rest,
    ...(rest.$ref && { $ref: asRawExtension(rest.$ref) }),
  };
  const problems = comparedKeys
    .filter((key) => !(key === "enum" && found[key] === undefined) && !isSymbol(found[key]))
    .filter((key) => text(wanted[key]) !== text(found[key]))
    .map(
      (key) =>
        `${where}: ${key} is ${text(found[key])} in OpenAPI, ${text(wanted[key])} in the Go source`,
    );
  for (const name of new Set([...Object.keys(ownFields), ...Object.keys(fields)])) {
    problems.push(...compareInner(`${where}.${name}`, ownFields[name], fields[name]));
  }
  problems.push(
    ...compareInner(`${where}[]`, ownItems, items),
    ...compareInner(`${where}{}`, ownValues, values),
  );
  return problems;
}

function compareInner(
  where: string,
  expected: OpenApiSchema | undefined,
  actual: OpenApiSchema | undefined,
): string[] {
  if (expected && actual) return compare(where, expected, actual);
  return expected || actual
    ? [`${where} is only in ${expected ? "the Go source" : "OpenAPI"}`]
    : [];
}

const comparedKeys = [
  "type",
  "format",
  "$ref",
  "required",
  "enum",
  "default",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
] as const;

/** A Go constant in place of its value, which the published document has. */
function isSymbol(value: unknown): boolean {
  return typeof value === "object" && value !== null && "constant" in value;
}

/** The order of required fields and of map keys has no meaning. */
function text(value: unknown): string | undefined {
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
}
