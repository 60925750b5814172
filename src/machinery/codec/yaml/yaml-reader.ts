import { isUtf8 } from "node:buffer";
import type { Alias, Node, YAMLMap } from "yaml";
import { isAlias, isMap, isScalar, isSeq } from "#/std/text/yaml.ts";
import { maxDepth } from "../json/json-document.ts";
import { setOwn } from "../shape/own-property.ts";
import { AliasBudget } from "./yaml-alias-budget.ts";
import { linkAliases, parseYamlTree, type YamlTree, yamlError } from "./yaml-document.ts";
import { jsonScalar, type MapKey, mapKey, resolveScalar } from "./yaml-value.ts";

/** A value as it would be in JSON, and its problems in strict mode. */
export interface YamlValue {
  readonly value: unknown;
  /** Duplicate keys, as goyaml's messages. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the first document of a YAML text as JSON: keys become strings, times stay strings, aliases
 * and merge keys are resolved. Throws DecodeError.
 *
 * Upstream: vendor/sigs.k8s.io/yaml/yaml.go, vendor/go.yaml.in/yaml/v2/decode.go.
 */
export function readYaml(bytes: Uint8Array): YamlValue {
  const known = readBefore.get(bytes);
  if (known) return known();
  if (!isUtf8(bytes)) throw yamlError("invalid leading UTF-8 octet");
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const tree = parseYamlTree(text);
  const reader = new YamlReader(tree);
  const value = reader.read(tree.root);
  return { value, duplicates: reader.duplicates };
}

/**
 * Results of another thread for the same bytes instance, stored by keepYaml(). Not a memo, as they
 * are not computed here.
 */
const readBefore = new WeakMap<Uint8Array, () => YamlValue>();

/** Whether readYaml() has a result for these bytes. */
export const hasRead = (bytes: Uint8Array): boolean => readBefore.has(bytes);

/** Makes readYaml() return a result for these bytes that another thread has read. */
export function keepYaml(bytes: Uint8Array, read: () => YamlValue): void {
  readBefore.set(bytes, read);
}

/**
 * Entries of a mapping: for goyaml the number 1 and the string "1" are different keys, in JSON they
 * are equal.
 */
type Entries = Map<MapKey["id"], { readonly name: string; readonly value: unknown }>;

class YamlReader {
  readonly duplicates: string[] = [];
  readonly #tree: YamlTree;
  readonly #targets: ReadonlyMap<Alias, Node>;
  readonly #open = new Set<Alias>();
  readonly #budget = new AliasBudget();
  #depth = 0;

  constructor(tree: YamlTree) {
    this.#tree = tree;
    this.#targets = linkAliases(tree.root);
  }

  read(node: Node | null): unknown {
    this.#budget.spend();
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.read(target));
    if (isMap(node)) return this.#nested(() => objectOf(this.#mapping(node, new Map())));
    if (isSeq(node)) return this.#nested(() => node.items.map((item) => this.read(item as Node)));
    return jsonScalar(resolveScalar(isScalar(node) ? node : null));
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw yamlError("exceeded max depth");
    const value = read();
    this.#depth--;
    return value;
  }

  #throughAlias<T>(alias: Alias, read: (target: Node) => T): T {
    const target = this.#targets.get(alias);
    if (target === undefined) throw yamlError(`unknown anchor '${alias.source}' referenced`);
    if (this.#open.has(alias)) throw yamlError(`anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    const value = this.#nested(() => this.#budget.within(() => read(target)));
    this.#open.delete(alias);
    return value;
  }

  #mapping(map: YAMLMap, entries: Entries): Entries {
    for (const { key, value } of map.items as { key: Node | null; value: Node | null }[]) {
      if (isMergeKey(key)) this.#merge(value, entries);
      else {
        const name = this.#key(key);
        this.#set(entries, name, this.read(value), value ?? key);
      }
    }
    return entries;
  }

  #key(node: Node | null): MapKey {
    this.#budget.spend();
    if (isAlias(node)) return this.#throughAlias(node, (target) => this.#key(target));
    if (isMap(node) || isSeq(node)) throw yamlError("invalid map key");
    return mapKey(resolveScalar(isScalar(node) ? node : null));
  }

  /** The last of several values wins; duplicate keys are recorded. */
  #set(entries: Entries, { id, name, shown }: MapKey, value: unknown, at: Node | null): void {
    if (entries.has(id)) {
      const line = this.#tree.lineAt(at?.range?.[0] ?? 0);
      this.duplicates.push(`line ${line}: key ${shown} already set in map`);
    }
    entries.set(id, { name, value });
  }

  /** Copies the entries of other mappings; the first one wins, so it is copied last. */
  #merge(node: Node | null, entries: Entries): void {
    const sources = isSeq(node) ? [...node.items].reverse() : [node];
    for (const source of sources as (Node | null)[]) this.#mergeOne(source, entries);
  }

  #mergeOne(node: Node | null, entries: Entries): void {
    this.#budget.spend();
    if (isAlias(node)) {
      this.#throughAlias(node, (target) => this.#mergeOne(target, entries));
    } else if (isMap(node)) this.#nested(() => this.#mapping(node, entries));
    else throw yamlError("map merge requires map or sequence of maps as the value");
  }
}

function isMergeKey(node: Node | null): boolean {
  if (!isScalar(node) || node.value !== "<<") return false;
  return node.type === "PLAIN" || node.tag === "tag:yaml.org,2002:merge";
}

function objectOf(entries: Entries): object {
  const object: Record<string, unknown> = {};
  for (const { name, value } of entries.values()) setOwn(object, name, value);
  return object;
}
