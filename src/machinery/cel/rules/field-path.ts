import { table } from "#/std/base/table.ts";
import { type JsonSchema, propertySchema, valuesSchema } from "../schema/json-schema.ts";

/** An invalid path of a field in a schema. */
export class FieldPathError extends Error {
  override readonly name = "FieldPathError";
}

const tokenPattern = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/gs;

/**
 * The path of .spec.name or .spec['name'] in the form of messages: spec.name, with brackets around
 * the keys of maps. Throws FieldPathError if the field is not in the schema.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export function parseFieldPath(text: string, schema: JsonSchema): string {
  const tokens = text.match(tokenPattern) ?? [];
  let path = "";
  let current = schema;
  for (let i = 0; i < tokens.length; ) {
    const { name, next } = readName(tokens, i);
    const isNamed = current.properties !== undefined;
    const child = isNamed ? propertySchema(current, name) : valuesSchema(current);
    if (child === undefined) throw new FieldPathError("does not refer to a valid field");
    path += isNamed ? `${path === "" ? "" : "."}${name}` : `[${name}]`;
    current = child;
    i = next;
  }
  return path;
}

function readName(tokens: readonly string[], start: number): { name: string; next: number } {
  const token = (index: number): string => {
    const found = tokens[index];
    if (found === undefined) throw new FieldPathError("unexpected end of JSON path");
    return found;
  };
  const first = token(start);
  if (first === ".") return { name: token(start + 1), next: start + 2 };
  if (first !== "[") throw new FieldPathError(`expected [ or . but got: ${first}`);
  const quoted = token(start + 1);
  if (!/^'.*'$/s.test(quoted) || quoted.length < 2) {
    throw new FieldPathError(`expected single quoted string but got ${quoted}`);
  }
  if (token(start + 2) !== "]") throw new FieldPathError(`expected ] but got ${token(start + 2)}`);
  return { name: unescapeQuoted(quoted.slice(1, -1)), next: start + 3 };
}

const named: Readonly<Record<string, string>> = table({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
});

function unescapeQuoted(text: string): string {
  return text.replace(/\\(.)/g, (sequence, character: string) => {
    const plain = named[character];
    if (plain !== undefined) return plain;
    throw new FieldPathError(`invalid string literal: invalid escape char ${sequence}`);
  });
}
