/** Upstream: sigs.k8s.io/kustomize/kyaml/yaml/walk/associative_sequence.go. */
import { setField, setScalar } from "../yaml/edit-node.ts";
import {
  isMissingOrNull,
  isNilOrEmpty,
  scalarNode,
  sequenceNode,
  type YamlNode,
} from "../yaml/yaml-node.ts";
import { findItem, putItem } from "./list-items.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { patchDirective } from "./patch-directive.ts";

interface ItemMerger {
  merge(
    original: YamlNode | undefined,
    patch: YamlNode | undefined,
    schema: MergeSchema | undefined,
  ): YamlNode | undefined;
}

/** Merges lists whose items have keys, or are strings; new items are first. */
export function mergeList(
  merger: ItemMerger,
  original: YamlNode | undefined,
  patch: YamlNode | undefined,
  schema: MergeSchema,
): YamlNode | undefined {
  const target = listTarget(original, patch);
  if (!target) return undefined;
  const keys = schema.mergeKeys ?? [];
  const sources = [patch, target].filter((node) => node !== undefined);
  const values = keys.length > 0 ? keyValues(sources, keys) : textValues(sources);
  const names = keys.length > 0 ? keys : [""];
  if (values.length === 0) return isMissingOrNull(target) ? undefined : target;
  const all = names.length > 1 ? joinPartial(values) : values;
  const made = sequenceNode();
  let used: readonly string[] = names;
  for (const each of all) {
    const valid = usedKeys(all, each, names);
    used = valid.keys;
    const find = (list: YamlNode | undefined): YamlNode | undefined => {
      const own = usedKeys([valid.values], valid.values, valid.keys);
      return findItem(list, own.keys, own.values);
    };
    const merged = merger.merge(find(target), find(patch), schema.items);
    if (isMissingOrNull(merged) || (merged.kind === "mapping" && isNilOrEmpty(merged))) {
      putItem(target, undefined, valid.keys, valid.values);
      continue;
    }
    restoreKeys(merged, valid.keys, valid.values);
    putItem(made, merged, valid.keys, valid.values);
  }
  return withOthers(made, target, used);
}

function listTarget(
  original: YamlNode | undefined,
  patch: YamlNode | undefined,
): YamlNode | undefined {
  if (isMissingOrNull(original)) return patch;
  if (patch === undefined) return original;
  if (patch.isNull) return undefined;
  const directive = patchDirective(patch);
  if (directive === "delete") return undefined;
  return directive === "replace" ? patch : original;
}

function restoreKeys(item: YamlNode, keys: readonly string[], values: readonly string[]): void {
  for (const [index, key] of keys.entries()) {
    const value = values[index] ?? "";
    if (value === "" || item.field(key)) continue;
    if (key === "") setScalar(item, scalarNode(value));
    else setField(item, key, scalarNode(value));
  }
}

/** Adds the missing items of the original list. */
function withOthers(made: YamlNode, original: YamlNode, keys: readonly string[]): YamlNode {
  for (const item of original.items) {
    if (keys[0] === "") {
      putItem(made, item, [""], [item.value]);
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      const value = item.field(key);
      if (value) values.push(value.value);
      else made.items.push(item);
    }
    if (keys.length > 1) putItem(made, undefined, keys, values);
    putItem(made, item, keys, values);
  }
  return made;
}

/** The values that the items of all lists have for the keys; each combination once. */
function keyValues(lists: readonly YamlNode[], keys: readonly string[]): string[][] {
  const found = new Map<string, string[]>();
  for (const { items } of lists) {
    for (const item of items) {
      const values = keys.map((key) => {
        const value = item.field(key);
        return isNilOrEmpty(value) ? "" : (value?.value ?? "");
      });
      const id = JSON.stringify(values);
      if (!found.has(id)) found.set(id, values);
    }
  }
  return [...found.values()];
}

function textValues(lists: readonly YamlNode[]): string[][] {
  const texts = new Set(lists.flatMap(({ items }) => items.map(({ value }) => value)));
  return [...texts].map((value) => [value]);
}

/** Combinations that agree in their common keys are joined. */
function joinPartial(list: readonly string[][]): string[][] {
  const joined = [...list];
  for (let i = 0; i < joined.length; i++) {
    for (let j = 0; j < joined.length; j++) {
      const values = joinTwo(joined[i] ?? [], joined[j] ?? []);
      if (!values) continue;
      joined[i] = values;
      joined[j] = values;
    }
  }
  return joined;
}

function joinTwo(left: readonly string[], right: readonly string[]): string[] | undefined {
  const conflicts = left.some((value, i) => value !== right[i] && value !== "" && right[i] !== "");
  if (conflicts || !left.some((value, i) => value === right[i])) return undefined;
  return left.map((value, i) => value || (right[i] ?? ""));
}

/** The keys that any item has a value for; all of them if none has. */
function usedKeys(
  all: readonly (readonly string[])[],
  values: readonly string[],
  keys: readonly string[],
): { keys: readonly string[]; values: readonly string[] } {
  const used = new Set<string>();
  for (const each of all) {
    for (const [index, value] of each.entries()) if (value !== "") used.add(keys[index] ?? "");
  }
  if (used.size === 0) return { keys, values };
  return {
    keys: keys.filter((key) => used.has(key)),
    values: values.filter((value, index) => value !== "" || used.has(keys[index] ?? "")),
  };
}
