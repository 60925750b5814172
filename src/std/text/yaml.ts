import type { Alias, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { lazyModule } from "../base/lazily.ts";
import { plainJson } from "./plain-json.ts";

/** The YAML library: loaded at its first use, as most programs of a cluster never need it. */
export const yaml = lazyModule<typeof import("yaml")>("yaml", import.meta.url);

/** Parses YAML, or JSON, which is YAML too. Throws if it is neither. */
export function parseYaml(text: string): unknown {
  return plainJson(text) ?? yaml().parse(text);
}

export const isAlias = (node: unknown): node is Alias => yaml().isAlias(node);
export const isMap = (node: unknown): node is YAMLMap => yaml().isMap(node);
export const isScalar = (node: unknown): node is Scalar => yaml().isScalar(node);
export const isSeq = (node: unknown): node is YAMLSeq => yaml().isSeq(node);
