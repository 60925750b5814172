import type { Facts, FieldFacts, StructFacts } from "../../src/api/base/facts.ts";
import { fitsOnLine } from "./write-literal.ts";

/** How each scalar looks in TypeScript. */
const scalars: Readonly<Record<string, string>> = {
  string: "string",
  uid: "string",
  nodeName: "string",
  boolean: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
  bytes: "string",
  any: "unknown",
  quantity: "string",
  intOrString: "number | string",
  time: "string",
  microTime: "string",
  duration: "string",
  rawExtension: "unknown",
  fieldsV1: "Record<string, unknown>",
  json: "unknown",
  jsonSchemaPropsOrBool: "JSONSchemaProps | boolean",
  jsonSchemaPropsOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  jsonSchemaPropsOrStringArray: "JSONSchemaProps | string[]",
};

/** Structs that Go always writes and every reader counts on, though OpenAPI calls them optional. */
const alwaysThere: ReadonlySet<string> = new Set(["metadata", "spec"]);

/** Types without omitempty that Go writes as null when they are empty. */
const nullable = /^(\*|\[\]|\{\}|(time|microTime|bytes|any|json|rawExtension|fieldsV1)$)/;

/** The TypeScript types of one group version: an interface for each struct, a union for each enumeration. */
export function writeTypes(facts: Facts, folder: string): string {
  const imports = new Map<string, string>();
  const write = (expression: string): string => writeType(expression, folder, imports);
  const body = [
    ...Object.entries(facts.enums).map(([name, values]) => writeEnum(name, values)),
    ...Object.entries(facts.lists).map(([name, items]) => writeAlias(name, write(`[]${items}`))),
    ...Object.entries(facts.named).map(([name, type]) => writeAlias(name, write(type))),
    ...Object.entries(facts.aliases).map(([name, target]) => writeAlias(name, write(target))),
    ...Object.entries(facts.structs).map(([name, struct]) => writeInterface(name, struct, write)),
  ];
  const head = [...imports.keys()]
    .sort()
    .map((file) => `import type * as ${imports.get(file)} from "${file}";\n`);
  return [head.join(""), ...body].filter((part) => part !== "").join("\n");
}

function writeAlias(name: string, type: string): string {
  return `export type ${name} = ${type};\n`;
}

function writeEnum(name: string, values: readonly string[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  const line = `export type ${name} = ${quoted.join(" | ")};`;
  return fitsOnLine(line)
    ? `${line}\n`
    : `export type ${name} =\n${quoted.map((value) => `  | ${value}`).join("\n")};\n`;
}

function writeInterface(
  name: string,
  { fields }: StructFacts,
  write: (expression: string) => string,
): string {
  const entries = Object.entries(fields);
  const bases = entries
    .filter(([key]) => key.startsWith("..."))
    .map(([key]) => write(key.slice(3)));
  const own = entries
    .filter(([key]) => !key.startsWith("..."))
    .map(([key, field]) => writeField(key, field, write));
  if (own.length === 0) {
    return `export type ${name} = ${bases.length > 0 ? bases.join(" & ") : "Record<string, never>"};\n`;
  }
  const heritage = bases.length > 0 ? ` extends ${bases.join(", ")}` : "";
  return `export interface ${name}${heritage} {\n${own.join("")}}\n`;
}

function writeField(
  name: string,
  { type = "", required, omit }: FieldFacts,
  write: (expression: string) => string,
): string {
  const written = (omit === "never" || alwaysThere.has(name)) && !nullable.test(type);
  const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
  return `  ${key}${required || written ? "" : "?"}: ${write(type)};\n`;
}

function writeType(expression: string, folder: string, imports: Map<string, string>): string {
  const recur = (inner: string): string => writeType(inner, folder, imports);
  if (expression.startsWith("*")) return recur(expression.slice(1));
  if (expression.startsWith("{}")) return `Record<string, ${recur(expression.slice(2))}>`;
  if (expression.startsWith("[]")) {
    const items = recur(expression.slice(2));
    return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
  }
  const [, otherFolder, version, name] = /^([\w-]+)\/(\w+)\.(\w+)$/.exec(expression) ?? [];
  if (!otherFolder || !version || !name) return scalars[expression] ?? expression;
  const file =
    otherFolder === folder
      ? `./${version}-definitions.ts`
      : `../${otherFolder}/${version}-definitions.ts`;
  const alias = `${otherFolder}${version.slice(0, 1).toUpperCase()}${version.slice(1)}`;
  imports.set(file, alias);
  return `${alias}.${name}`;
}
