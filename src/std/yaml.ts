import { createRequire } from "node:module";
import type { Alias, Scalar, YAMLMap, YAMLSeq } from "yaml";

type Yaml = typeof import("yaml");

const load = createRequire(import.meta.url);
let loaded: Yaml | undefined;

/** The library that reads and writes YAML: loaded when there is any, as most programs of a cluster never see some. */
export function yaml(): Yaml {
  loaded ??= load("yaml") as Yaml;
  return loaded;
}

/** Reads a text of YAML, or of JSON, which is YAML too. Throws where it is neither. */
export function parseYaml(text: string): unknown {
  return parseJson(text) ?? yaml().parse(text);
}

/** An object of JSON; undefined if the text isn't one. */
function parseJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // It may be a mapping of YAML still, and if it isn't, that is said of it.
  }
}

export const isAlias = (node: unknown): node is Alias => yaml().isAlias(node);
export const isMap = (node: unknown): node is YAMLMap => yaml().isMap(node);
export const isScalar = (node: unknown): node is Scalar => yaml().isScalar(node);
export const isSeq = (node: unknown): node is YAMLSeq => yaml().isSeq(node);
