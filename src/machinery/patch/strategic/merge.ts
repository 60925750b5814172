import type { Schema } from "#/api/base/schema.ts";
import { deepEqual } from "../../objects/deep-equal.ts";
import { goValue } from "../values/go-value.ts";
import { isJsonObject, type JsonObject, withoutKey } from "../values/json-value.ts";
import { PatchError } from "../values/patch-error.ts";
import {
  badDeletionList,
  badOrderList,
  badRetainKeys,
  deletionPrefix,
  orderPrefix,
  parallelListField,
  patchDirective,
  retainKeysDirective,
  withoutDirectives,
  withoutNullFields,
} from "./directives.ts";
import { type Identity, orderElements, splitDeletions } from "./element-order.ts";
import {
  distinct,
  ElementIndex,
  elementKind,
  requireList,
  requireMap,
  requireMergeKey,
} from "./elements.ts";
import { goKind, lookupListField, lookupMapField, type PatchField } from "./lookup.ts";

/**
 * Merges a strategic merge patch into a document, or into another patch.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
 */
interface MergeOptions {
  /**
   * The original is a document: directives are executed and are not in the result. Otherwise it is
   * a patch too: directives and nulls are kept.
   */
  readonly intoDocument: boolean;
}

/** Merges a patch into an object of the given schema; throws PatchError. */
export function mergeMaps(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema,
  options: MergeOptions,
): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return directed(patch);
  const merged = new Map(Object.entries(original));
  const rest = new Map(Object.entries(patch));
  retainKeys(merged, rest, options);
  mergeOrderedLists(merged, rest, schema, options);
  for (const [key, value] of rest) mergeKey({ merged, key, value, schema, options });
  return Object.fromEntries(merged);
}

function directed(patch: JsonObject): JsonObject {
  const directive = patch[patchDirective];
  if (directive === "replace") return withoutKey(patch, patchDirective);
  if (directive === "delete") return {};
  throw new PatchError(500, `unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
}

type Entries = Map<string, unknown>;

function retainKeys(merged: Entries, patch: Entries, { intoDocument }: MergeOptions): void {
  if (!patch.has(retainKeysDirective)) return;
  const list = patch.get(retainKeysDirective);
  patch.delete(retainKeysDirective);
  if (!intoDocument) {
    keepDirective(merged, retainKeysDirective, list, () => differing(merged, list));
    return;
  }
  if (!Array.isArray(list)) throw badRetainKeys();
  const kept = new Set(list);
  for (const [key, value] of patch) {
    const isParallelList = key.startsWith(deletionPrefix) || key.startsWith(orderPrefix);
    if (value !== null && !isParallelList && !kept.has(key)) throw badRetainKeys();
  }
  for (const key of merged.keys()) if (!kept.has(key)) merged.delete(key);
}

const differing = (merged: Entries, list: unknown): PatchError =>
  new PatchError(
    500,
    `${goValue(merged.get(retainKeysDirective))} and ${goValue(list)} are not deep equal: this may happen when calculating the 3-way diff patch`,
  );

/** Copies a directive from one patch to the other, which may have an equal one but no other. */
function keepDirective(
  merged: Entries,
  key: string,
  value: unknown,
  clash: () => PatchError,
): void {
  if (!merged.has(key)) merged.set(key, value);
  else if (!deepEqual(merged.get(key), value)) throw clash();
}

function mergeOrderedLists(
  merged: Entries,
  patch: Entries,
  schema: Schema,
  options: MergeOptions,
): void {
  for (const [key, order] of [...patch]) {
    if (!key.startsWith(orderPrefix)) continue;
    if (!options.intoDocument) keepDirective(merged, key, order, badOrderList);
    patch.delete(key);
    const name = parallelListField(key, orderPrefix);
    const list = requireList(order);
    if (name === undefined) throw badOrderList();
    const original = merged.has(name) ? requireList(merged.get(name)) : undefined;
    const patched = patch.has(name) ? requireList(patch.get(name)) : undefined;
    const field = lookupListField(schema, name);
    checkOrder(patched ?? [], list, field.mergeKey);
    if (!original && !patched) continue;
    merged.set(name, mergeOrdered({ original, patched, order: list, field, options }));
    patch.delete(name);
  }
}

interface OrderedMerge {
  readonly original: readonly unknown[] | undefined;
  readonly patched: readonly unknown[] | undefined;
  readonly order: readonly unknown[];
  readonly field: PatchField;
  readonly options: MergeOptions;
}

function mergeOrdered({ original, patched, order, field, options }: OrderedMerge): unknown[] {
  let items = original ?? (withoutDirectives(patched) as unknown[]);
  if (original && patched) {
    items = mergeLists(original, patched, { field, options, isDeletion: false });
  }
  const { mergeKey } = field;
  const { named, others } = partition(items, order, mergeKey);
  const kind = elementKind(original ?? [], patched ?? []);
  const othersOrder = serverOrder(original ?? [], patched ?? [], { kind, mergeKey });
  const parts = { named, others, namedOrder: order, othersOrder };
  return orderElements(parts, { kind, mergeKey });
}

/**
 * The server's order, relative to which the other items are placed. As upstream, which deletes
 * items from the list in place, new items move into the freed places.
 */
function serverOrder(
  original: readonly unknown[],
  patched: readonly unknown[],
  { kind, mergeKey }: Identity,
): readonly unknown[] {
  if (kind !== "map" || original.length === 0) return original;
  const { kept, deleted } = splitDeletions(patched);
  const names = deleted.map((item) => requireMergeKey(item, mergeKey));
  const staying = withoutElements(original, mergeKey, new Set(names));
  const index = new ElementIndex(staying, mergeKey);
  const added = kept.filter(
    (item) =>
      !Object.hasOwn(requireMap(item), patchDirective) &&
      index.find(requireMergeKey(item, mergeKey)) < 0,
  );
  return [...staying, ...added.slice(0, original.length - staying.length)];
}

/**
 * Checks that the order list contains all items of the patch, in the same order; items to be
 * deleted do not count.
 */
function checkOrder(items: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (items.length === 0 || order.length === 0) return;
  const listed = mergeKey === "" ? items : splitDeletions(items.map(requireMap)).kept;
  let next = 0;
  let at = 0;
  while (next < listed.length && at < order.length) {
    const item = listed[next];
    if (isJsonObject(item) && Object.hasOwn(item, patchDirective)) next++;
    else if (identify(item, mergeKey) === identify(order[at++], mergeKey)) next++;
  }
  if (next < listed.length && at >= order.length) {
    throw new PatchError(
      500,
      `The order in patch list:\n${goValue(items)}\n doesn't match ${orderPrefix} list:\n${goValue(order)}\n`,
    );
  }
}

const identify = (item: unknown, mergeKey: string): unknown =>
  mergeKey === "" ? item : requireMergeKey(item, mergeKey);

/** Separates the items in a list from the others. */
function partition(
  items: readonly unknown[],
  by: readonly unknown[],
  mergeKey: string,
): { named: unknown[]; others: unknown[] } {
  const known = new Set(mergeKey === "" ? by : []);
  const index = new ElementIndex(mergeKey === "" ? [] : by, mergeKey);
  const named: unknown[] = [];
  const others: unknown[] = [];
  for (const item of items) {
    const isNamed =
      mergeKey === "" ? known.has(item) : index.find(requireMergeKey(item, mergeKey)) >= 0;
    (isNamed ? named : others).push(item);
  }
  return { named, others };
}

interface KeyMerge {
  readonly merged: Entries;
  readonly key: string;
  readonly value: unknown;
  readonly schema: Schema;
  readonly options: MergeOptions;
}

function mergeKey({ merged, key: patchKey, value, schema, options }: KeyMerge): void {
  let key = patchKey;
  const isDeletion = key.startsWith(deletionPrefix);
  if (isDeletion) {
    if (!options.intoDocument) {
      merged.set(key, value);
      return;
    }
    const field = parallelListField(key, deletionPrefix);
    if (field === undefined) throw badDeletionList();
    if (field !== "") key = field;
  }
  if (value === null) {
    merged.delete(key);
    if (options.intoDocument) return;
  }
  const current = merged.get(key);
  if (Array.isArray(current) && Array.isArray(value)) {
    const field = lookupListField(schema, key);
    merged.set(key, mergeLists(current, value, { field, options, isDeletion }));
  } else if (isDeletion) {
    return;
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const field = lookupMapField(schema, key);
    const replaces = field.strategy === "replace";
    merged.set(key, replaces ? value : mergeMaps(current, value, field.schema, options));
  } else {
    setPlain(merged, key, options.intoDocument ? withoutNullFields(value) : value);
  }
}

function setPlain(merged: Entries, key: string, value: unknown): void {
  const plain = withoutDirectives(value);
  if (plain === undefined) merged.delete(key);
  else merged.set(key, plain);
}

interface ListMerge {
  readonly field: PatchField;
  readonly options: MergeOptions;
  /** The patch lists scalars to delete. */
  readonly isDeletion: boolean;
}

function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  { field, options, isDeletion }: ListMerge,
): readonly unknown[] {
  if (field.strategy !== "merge" && !isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const kind = elementKind(original, patch);
  if (kind === "map") return mergeListsOfMaps(original, patch, field, options);
  if (options.intoDocument && isDeletion) {
    const deleted = new Set(patch);
    return original.filter((item) => !deleted.has(item));
  }
  const merged = distinct([...original, ...patch]);
  return inOrder(merged, patch, original, { kind, mergeKey: field.mergeKey });
}

function mergeListsOfMaps(
  original: readonly unknown[],
  patch: readonly unknown[],
  { schema, mergeKey }: PatchField,
  options: MergeOptions,
): unknown[] {
  if (mergeKey === "") {
    throw new PatchError(500, `cannot merge lists without merge key for ${goKind(schema)}`);
  }
  const { base, items } = executeDirectives(original, patch.map(requireMap), mergeKey);
  const merged = [...base];
  const index = new ElementIndex(base, mergeKey);
  for (const item of items) {
    const key = requireMergeKey(item, mergeKey);
    const at = index.find(key);
    if (at < 0) {
      merged.push(item);
      index.add(item);
      continue;
    }
    const result = mergeMaps(requireMap(merged[at]), item, schema, options);
    merged[at] = result;
    // Only a null deletes the key of an item.
    if (!Object.hasOwn(result, mergeKey)) index.dropFirstNull();
  }
  return inOrder(merged, items, base, { kind: "map", mergeKey });
}

/**
 * Deletes the items that `$patch: delete` names, and starts with an empty list if there is a
 * `$patch: replace`.
 */
function executeDirectives(
  original: readonly unknown[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { base: readonly unknown[]; items: readonly JsonObject[] } {
  const items = patch.filter((item) => !Object.hasOwn(item, patchDirective));
  const deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch) {
    const directive = Object.hasOwn(item, patchDirective) ? item[patchDirective] : undefined;
    if (directive === undefined) continue;
    if (directive === "delete") deleted.add(requireMergeKey(item, mergeKey));
    else if (directive === "replace") replaces = true;
    else if (directive === "merge") {
      throw new PatchError(500, "merging lists cannot yet be specified in the patch");
    } else {
      throw new PatchError(
        500,
        `unknown patch type: ${goValue(directive)} in map: ${goValue(item)}`,
      );
    }
  }
  if (replaces) return { base: items, items: [] };
  return { base: withoutElements(original, mergeKey, deleted), items };
}

/** A list without the items that have one of these merge keys; the list itself if there are none. */
function withoutElements(
  list: readonly unknown[],
  mergeKey: string,
  names: ReadonlySet<unknown>,
): readonly unknown[] {
  if (names.size === 0) return list;
  return list.filter((item) => {
    const map = requireMap(item);
    return !Object.hasOwn(map, mergeKey) || !names.has(map[mergeKey]);
  });
}

const inOrder = (
  merged: readonly unknown[],
  patch: readonly unknown[],
  original: readonly unknown[],
  identity: Identity,
): unknown[] => {
  const { named, others } = partition(merged, patch, identity.mergeKey);
  return orderElements({ named, others, namedOrder: patch, othersOrder: original }, identity);
};
