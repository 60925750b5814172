import type { Alias, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { lazyModule } from "../base/lazily.ts";

/** The YAML library: loaded at its first use, as most programs of a cluster never need it. */
export const yaml = lazyModule<typeof import("yaml")>("yaml", import.meta.url);

/** Parses YAML, or JSON, which is YAML too. Throws if it is neither. */
export function parseYaml(text: string): unknown {
  return parseJson(text) ?? yaml().parse(text);
}

/** A JSON object; undefined if the text isn't one. */
function parseJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // It may still be YAML; if not, the YAML parser reports it.
  }
}

export const isAlias = (node: unknown): node is Alias => yaml().isAlias(node);
export const isMap = (node: unknown): node is YAMLMap => yaml().isMap(node);
export const isScalar = (node: unknown): node is Scalar => yaml().isScalar(node);
export const isSeq = (node: unknown): node is YAMLSeq => yaml().isSeq(node);
