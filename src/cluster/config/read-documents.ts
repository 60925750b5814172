import type { Document } from "yaml";
import { yaml } from "#/std/text/yaml.ts";
import { CommandFailure } from "../base/command-failure.ts";

/** The way to a field: names of members, and indices of list items. */
export type FieldPath = readonly (string | number)[];

/** One document of a configuration file. */
export interface ConfigDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** FILE:LINE of a field; of the nearest one around it, if it is not there. */
  at(path: FieldPath): string;
}

/** Limit of references to one anchor (count): more would be a bomb. */
const maxAliases = 100;

/** The documents of a YAML file, with the line of each field. Throws for text that is no list of objects. */
export function readDocuments(file: string, text: string): ConfigDocument[] {
  const { LineCounter, parseAllDocuments } = yaml();
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true });
  const lineOf = (offset: number): string => `${file}:${lines.linePos(offset).line}`;
  return [...parsed].flatMap((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw new CommandFailure(`${lineOf(error.pos[0])}: ${firstLine(error.message)}`);
    // A document may have comments only.
    if (document.contents === null || document.toJS() === null) return [];
    return [documentOf(document as Document.Parsed, lineOf)];
  });
}

function documentOf(document: Document.Parsed, lineOf: (offset: number) => string): ConfigDocument {
  const start = lineOf(document.contents?.range?.[0] ?? document.range[0]);
  const value = document.toJS({ maxAliasCount: maxAliases }) as Record<string, unknown>;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new CommandFailure(`${start}: a document must be an object with apiVersion and kind`);
  }
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new CommandFailure(`${start}: a document needs apiVersion and kind`);
  }
  return {
    apiVersion,
    kind,
    value,
    at: (path) => lineOf(offsetOf(document, path)),
  };
}

/** Where a field begins: at its name, if it has one. */
function offsetOf(document: Document.Parsed, path: FieldPath): number {
  const { isMap, isNode, isScalar } = yaml();
  for (let length = path.length; length > 0; length--) {
    const inner = path.slice(0, length);
    const parent = length === 1 ? document.contents : document.getIn(inner.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === inner.at(-1))
      : undefined;
    const node = pair?.key ?? document.getIn(inner, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** The message of the YAML library without its own position. */
const firstLine = (text: string): string =>
  (text.split("\n", 1)[0] ?? "").replace(/( at line \d+, column \d+)?:?$/, "");
