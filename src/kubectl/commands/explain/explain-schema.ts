/** Upstream: staging/src/k8s.io/kubectl/pkg/explain/v2. */
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { indentLines, wrapWords } from "#/std/text/wrap-words.ts";
import { CommandError } from "../../base/errors.ts";
import type {
  OpenApiDocument,
  OpenApiKind,
  OpenApiSchema,
} from "../../discovery/open-api-schema.ts";
import { isSameKind } from "../../discovery/open-api-schema.ts";
import { mapValues, partsOf, resolveRef, typeName, unlessEmpty } from "./schema-shapes.ts";

/** The part of a document to explain. */
interface Explained {
  readonly document: OpenApiDocument;
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
  };
  readonly fields: readonly string[];
  readonly recursive: boolean;
  /** Limit of levels of fields; 0 for all. */
  readonly maxDepth: number;
}

/** Limit of enum values (count) shown in a list of fields. */
const shownValues = 4;

/** Explains a resource or one of its fields, in pieces: the header is printed even if there is no such field. */
export function* explainSchema(explained: Explained): Generator<string> {
  const { document, resource, fields } = explained;
  const kind = kindOfResource(explained);
  if (!kind) {
    const { group, version } = resource;
    throw new CommandError(
      `error: GVR (${group}/${version}, Resource=${resource.resource}) not found in OpenAPI schema`,
    );
  }
  yield `${kind.group ? `GROUP:      ${kind.group}\n` : ""}KIND:       ${kind.kind}\nVERSION:    ${kind.version}\n\n`;
  const { schemas = {} } = document.components ?? {};
  const name = Object.keys(schemas)
    .sort()
    .find((each) =>
      schemas[each]?.["x-kubernetes-group-version-kind"]?.some((other) => isSameKind(other, kind)),
    );
  if (name === undefined) {
    throw new CommandError(`error: GVK ${goValue(kind)} not found in OpenAPI schema`);
  }
  const text = new Explanation(explained).ofPath(schemas[name] ?? {}, fields, new Set());
  if (text === "") {
    throw new CommandError(`error: field "${fields.at(-1) ?? ""}" does not exist`);
  }
  yield `${text}\n`;
}

/** The kind of a resource, from its operations. */
function kindOfResource({ document, resource }: Explained): OpenApiKind | undefined {
  const { group, version, resource: name } = resource;
  const root = `${group === "" ? "/api" : `/apis/${group}`}/${version}`;
  let kind: OpenApiKind | undefined;
  for (const collection of [`${root}/${name}`, `${root}/namespaces/{namespace}/${name}`]) {
    for (const path of [collection, `${collection}/{name}`]) {
      const operations = document.paths?.[path] ?? {};
      for (const method of ["get", "post", "put", "patch", "delete"]) {
        const operation = operations[method];
        if (operation) kind = operation["x-kubernetes-group-version-kind"];
        if (operation && kind) break;
      }
    }
  }
  return kind;
}

class Explanation {
  readonly #document: OpenApiDocument;
  readonly #recursive: boolean;
  readonly #maxDepth: number;

  constructor({ document, recursive, maxDepth }: Explained) {
    this.#document = document;
    this.#recursive = recursive;
    this.#maxDepth = maxDepth;
  }

  /** The schema at a path of fields; "" if there is no such field. */
  ofPath(schema: OpenApiSchema, fields: readonly string[], seen: ReadonlySet<string>): string {
    const [field, ...rest] = fields;
    const resolved = this.#resolve(schema);
    if (field === undefined) return this.#ofSchema(resolved);
    if (schema.$ref && seen.has(schema.$ref)) return "";
    const property = unlessEmpty(ownProperty(resolved, field));
    if (property) {
      const head = rest.length === 0 ? this.#fieldHead(field, property) : "";
      return head + this.ofPath(property, rest, new Set());
    }
    const within = unlessEmpty(resolved.items) ?? mapValues(resolved);
    const parts = within ? [within] : (resolved.allOf ?? []);
    const nextSeen = new Set([...seen, schema.$ref ?? ""]);
    for (const part of parts) {
      const text = this.ofPath(part, fields, nextSeen);
      if (text !== "") return text;
    }
    return "";
  }

  #resolve(schema: OpenApiSchema): OpenApiSchema {
    return unlessEmpty(resolveRef(schema.$ref, this.#document)) ?? schema;
  }

  #fieldHead(field: string, schema: OpenApiSchema): string {
    const values = (schema.enum ?? []).map((value) => `\n    ${enumText(value)}`);
    const list = values.length === 0 ? "" : `ENUM:${values.join("")}`;
    return `FIELD: ${field} <${typeName(schema, this.#document)}>\n${list}\n\n`;
  }

  #ofSchema(schema: OpenApiSchema): string {
    const description = wrapWords(this.#descriptions(schema) || "<empty>", 76);
    const fields = this.#fieldList(schema, 1, new Set());
    return [
      `DESCRIPTION:\n${indentLines(description, 4)}\n`,
      schema.externalDocs ? `\n${externalDocsText(schema, 0, 76)}` : "",
      fields === "" ? "" : `FIELDS:\n${fields}`,
    ].join("");
  }

  /** The descriptions of a schema and of its parts, a line each. */
  #descriptions(schema: OpenApiSchema): string {
    const resolved = this.#resolve(schema);
    const own = resolved.description ? `${resolved.description}\n` : "";
    return (
      own +
      partsOf(resolved)
        .map((part) => this.#descriptions(part))
        .join("")
    );
  }

  #fieldList(schema: OpenApiSchema, level: number, seen: ReadonlySet<string>): string {
    const { $ref = "" } = schema;
    if ($ref !== "" && seen.has($ref)) return "";
    const nextSeen = new Set([...seen, $ref]);
    const resolved = this.#resolve(schema);
    const deeper = this.#recursive && (this.#maxDepth === 0 || level < this.#maxDepth);
    const { properties = {} } = resolved;
    const own = Object.keys(properties)
      .sort()
      .map((name) => {
        const property = properties[name] ?? {};
        const below = deeper ? this.#fieldList(property, level + 1, nextSeen) : "";
        return this.#fieldText(resolved, name, level) + below;
      });
    const others = partsOf(resolved).map((part) => this.#fieldList(part, level, nextSeen));
    return [...own, ...others].join("");
  }

  #fieldText(parent: OpenApiSchema, name: string, level: number): string {
    const schema = parent.properties?.[name] ?? {};
    const indent = level * 2;
    const required = parent.required?.includes(name) ? " -required-" : "";
    const type = typeName(schema, this.#document);
    const head = `${indentLines(name, indent)}\t<${type}>${required}${enumLine(schema, indent)}\n`;
    if (this.#recursive) return head;
    const description = wrapWords(schema.description || "<no description>", 78 - indent);
    const docs = schema.externalDocs
      ? `\n${externalDocsText(schema, indent + 2, 76 - indent)}`
      : "";
    return `${head}${indentLines(description, indent + 2)}\n${docs}\n`;
  }
}

function ownProperty({ properties = {} }: OpenApiSchema, name: string): OpenApiSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The parts of a schema with further descriptions, below an indented title. */
function externalDocsText({ externalDocs }: OpenApiSchema, indent: number, width: number): string {
  const { description = "", url = "" } = externalDocs ?? {};
  const inner = 80 - width;
  return [
    indentLines("EXTERNAL DOCS:", indent),
    ...(description === "" ? [] : [indentLines(wrapWords(description, width), inner)]),
    ...(url === "" ? [] : [indentLines(`URL: ${url}`, inner)]),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The first enum values of a field, below its name. */
function enumLine({ enum: values = [] }: OpenApiSchema, indent: number): string {
  if (values.length === 0) return "";
  const shown = values.slice(0, shownValues).map(enumText).join(", ");
  return `\n${" ".repeat(indent)}enum: ${shown}${values.length > shownValues ? ", ...." : ""}`;
}

const enumText = (value: unknown): string => (value === "" ? '""' : goValue(value));
