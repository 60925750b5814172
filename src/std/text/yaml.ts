import type { Alias, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { lazyModule } from "../base/lazily.ts";

/** The library that reads and writes YAML: loaded when there is any, as most programs of a cluster never see some. */
export const yaml = lazyModule<typeof import("yaml")>("yaml", import.meta.url);

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
