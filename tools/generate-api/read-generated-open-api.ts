import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiPackage } from "./build-facts.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "./open-api.ts";
import { type GoComposite, type GoValue, parseGoLiteral } from "./parse-go-literal.ts";
import type { UpstreamFolders } from "./upstream.ts";

/**
 * The definitions that kube-apiserver is compiled with. The published documents are made from them, but these have the
 * enumerations, and the versions that are no longer served, as well.
 */
export function readGeneratedOpenApi(upstream: UpstreamFolders): OpenApiDefinitions {
  const source = readFileSync(
    join(upstream.kubernetes, "pkg/generated/openapi/zz_generated.openapi.go"),
    "utf8",
  );
  const names = new Names(source);
  const functions = new Map(
    [...source.matchAll(/^func (schema_\w+)\(/gm)].map((match) => [match[1], match.index]),
  );
  const definitions = new Map<string, OpenApiSchema>();
  for (const [, type = "", name] of source.matchAll(
    /^\t\t([\w.]+)\{\}\.OpenAPIModelName\(\):\s+(schema_\w+)\(ref\),$/gm,
  )) {
    const start = source.indexOf("return ", functions.get(name)) + "return ".length;
    definitions.set(
      names.definition(type),
      schemaOf(definitionLiteral(parseGoLiteral(source, start)), names),
    );
  }
  return definitions;
}

/** Resolves the package names that the source uses. */
class Names {
  readonly #packages: ReadonlyMap<string, string>;

  constructor(source: string) {
    const imports = source.matchAll(/^\t(\w+ )?"([\w./-]+)"$/gm);
    this.#packages = new Map(
      [...imports].map(([, alias, path = ""]) => [
        alias?.trim() ?? path.slice(path.lastIndexOf("/") + 1),
        path,
      ]),
    );
  }

  /** corev1.PodSpec is io.k8s.api.core.v1.PodSpec. */
  definition(type: string): string {
    const [alias = "", name = ""] = type.split(".");
    return `${openApiPackage(this.#packages.get(alias) ?? alias)}.${name}`;
  }
}

/** The literal of a definition; where there is one for each version of OpenAPI, the first is version 3. */
function definitionLiteral(value: GoValue): GoValue {
  const literal = isCall(value) ? value.arguments[0] : value;
  if (literal === undefined) throw new Error("a definition without a literal");
  return entry(literal, "Schema") ?? literal;
}

function schemaOf(value: GoValue, names: Names): OpenApiSchema {
  const properties = entry(value, "SchemaProps");
  const extensions = entry(entry(value, "VendorExtensible"), "Extensions");
  const type = plain(entry(properties, "Type"), names);
  const reference = entry(properties, "Ref");
  const items = entry(entry(properties, "Items"), "Schema");
  const values = entry(entry(properties, "AdditionalProperties"), "Schema");
  const fields = entry(properties, "Properties");
  const format = plain(entry(properties, "Format"), names);
  return {
    ...(Array.isArray(type) && { type: type[0] as string }),
    ...(typeof format === "string" && format !== "" && { format }),
    ...(isCall(reference) && { $ref: plain(reference.arguments[0], names) as string }),
    ...(items !== undefined && { items: schemaOf(items, names) }),
    ...(values !== undefined && { additionalProperties: schemaOf(values, names) }),
    ...(isComposite(fields) && {
      properties: Object.fromEntries(
        [...fields.entries].map(([name, field]) => [name, schemaOf(field, names)]),
      ),
    }),
    ...plainEntry(properties, "Required", "required", names),
    ...plainEntry(properties, "Enum", "enum", names),
    ...plainEntry(properties, "Default", "default", names),
    ...(plain(extensions, names) as object | undefined),
  };
}

function plainEntry(value: GoValue | undefined, key: string, name: string, names: Names): object {
  const found = entry(value, key);
  return found === undefined ? {} : { [name]: plain(found, names) };
}

/** Turns a Go value into what JSON would have; the name of a model is resolved, other calls stay as they are. */
function plain(value: GoValue | undefined, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item: GoValue) => plain(item, names));
  if (isComposite(value))
    return Object.fromEntries([...value.entries].map(([key, inner]) => [key, plain(inner, names)]));
  if (isCall(value)) {
    const [, type] = /^([\w.]+)\{\}\.OpenAPIModelName$/.exec(value.call) ?? [];
    return type ? names.definition(type) : value;
  }
  return value;
}

function entry(value: GoValue | undefined, key: string): GoValue | undefined {
  return isComposite(value) ? value.entries.get(key) : undefined;
}

function isComposite(value: GoValue | undefined): value is GoComposite {
  return typeof value === "object" && "entries" in value && value.entries instanceof Map;
}

function isCall(value: GoValue | undefined): value is Extract<GoValue, { call: string }> {
  return typeof value === "object" && "call" in value;
}
