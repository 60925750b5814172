/** Upstream: staging/src/k8s.io/kubectl/pkg/explain. */
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { CommandError } from "../../base/errors.ts";
import type { GroupVersionKind } from "../../base/unstructured.ts";
import type { Model } from "../../openapi/models.ts";
import { wrapParagraphs } from "./wrap-paragraphs.ts";

const lineWidth = 80;
const descriptionIndent = 5;
const fieldIndent = 3;

/** The part of a kind to explain. */
interface ExplainedModel {
  readonly kind: GroupVersionKind;
  readonly model: Model;
  readonly fields: readonly string[];
  readonly recursive: boolean;
  /** Limit of levels of fields; 0 for all. */
  readonly maxDepth: number;
}

/** Explains a kind or one of its fields by the schemas of OpenAPI version 2. */
export function explainModel(explained: ExplainedModel): string {
  const { kind, fields } = explained;
  const outer: string[] = [];
  let model = modelAt(explained.model, fields);
  let type = "";
  for (;;) {
    if (model.type !== "reference") type ||= modelTypeName(model);
    const inner = innerOf(model);
    if (!inner) break;
    outer.push(model.description);
    model = inner;
  }
  const name = fields.at(-1) ?? "";
  const head = `KIND:     ${kind.kind}\nVERSION:  ${apiVersionOf(kind)}\n\n`;
  const description = descriptionText([...outer, model.description]);
  if (model.type === "primitive") return `${head}FIELD:    ${name} <${type}>\n\n${description}`;
  if (model.type !== "kind") return head + description;
  const title = name === "" ? "" : `RESOURCE: ${name} <${type}>\n\n`;
  const list = explained.recursive
    ? deepFields(model, { indent: fieldIndent, depth: 1, maxDepth: explained.maxDepth }, new Set())
    : flatFields(model);
  return `${head}${title}${description}\nFIELDS:\n${list}`;
}

/** The model at a path of fields; any path into a primitive is that primitive. */
function modelAt(model: Model, fields: readonly string[]): Model {
  const [field, ...rest] = fields;
  if (field === undefined) return model;
  if (model.type === "kind") {
    const found = model.fields.get(field);
    if (!found) throw new CommandError(`field ${JSON.stringify(field)} does not exist`);
    return modelAt(found, rest);
  }
  const inner = innerOf(model);
  return inner ? modelAt(inner, fields) : model;
}

/** The element of a list or map, or the target of a reference. */
function innerOf(model: Model): Model | undefined {
  if (model.type === "array") return model.items;
  if (model.type === "map") return model.values;
  return model.type === "reference" ? model.target() : undefined;
}

function modelTypeName(model: Model): string {
  switch (model.type) {
    case "array":
      return `[]${modelTypeName(model.items)}`;
    case "map":
      return `map[string]${modelTypeName(model.values)}`;
    case "reference":
      return modelTypeName(model.target());
    case "kind":
      return "Object";
    case "primitive":
      return model.name;
    case "arbitrary":
      return "";
  }
}

function descriptionText(descriptions: readonly string[]): string {
  const given = descriptions.map((text, i) =>
    text === "" ? "" : (i === 0 ? "" : "\n") + wrapped(text, descriptionIndent),
  );
  return `DESCRIPTION:\n${given.join("") || wrapped("<empty>", descriptionIndent)}`;
}

function wrapped(text: string, indent: number): string {
  return wrapParagraphs(text, lineWidth - indent)
    .map((line) => (line === "" ? "\n" : `${" ".repeat(indent)}${line}\n`))
    .join("");
}

type Kind = Extract<Model, { readonly type: "kind" }>;

function flatFields({ fields, required }: Kind): string {
  return [...fields]
    .map(([name, model]) => {
      const mark = required.includes(name) ? " -required-" : "";
      const head = `${" ".repeat(fieldIndent)}${name}\t<${modelTypeName(model)}>${mark}\n`;
      return `${head}${wrapped(model.description, fieldIndent + 2)}\n`;
    })
    .join("");
}

interface Level {
  readonly indent: number;
  readonly depth: number;
  readonly maxDepth: number;
}

/** The fields of a model and their fields; a recursive model is shown once. */
function deepFields(model: Model, level: Level, seen: ReadonlySet<string>): string {
  if (model.type === "reference" && seen.has(model.name)) return "";
  const nextSeen = model.type === "reference" ? new Set([...seen, model.name]) : seen;
  const inner = innerOf(model);
  if (inner) return deepFields(inner, level, nextSeen);
  if (model.type !== "kind") return "";
  const { indent, depth, maxDepth } = level;
  const below = { indent: indent + fieldIndent, depth: depth + 1, maxDepth };
  return [...model.fields]
    .map(([name, field]) => {
      const head = `${" ".repeat(indent)}${name}\t<${modelTypeName(field)}>\n`;
      return maxDepth > 0 && depth >= maxDepth ? head : head + deepFields(field, below, nextSeen);
    })
    .join("");
}
