import type { Schema } from "#/api/base/schema.ts";
import { deepEqual } from "../../objects/deep-equal.ts";
import { goValue } from "../values/go-value.ts";
import { isJsonObject, type JsonObject } from "../values/json-value.ts";
import { PatchError } from "../values/patch-error.ts";
import { deletionPrefix, orderPrefix, patchDirective, retainKeysDirective } from "./directives.ts";
import { sortElements } from "./element-order.ts";
import { distinct, elementKind, requireMap, requireMergeKey } from "./elements.ts";
import { lookupListField, lookupMapField, type PatchField } from "./lookup.ts";

/**
 * Creates strategic merge patches.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
 */
interface DiffOptions {
  /** Omit additions and changes of the modified document. */
  readonly ignoreChanges?: boolean;
  /** Omit deletions: fields that the modified document lacks. */
  readonly ignoreDeletions?: boolean;
  /** Write $setElementOrder lists. */
  readonly setElementOrder?: boolean;
}

/** A patch from one map to the other; empty if they are equal. */
export function diffMaps(
  original: JsonObject,
  modified: JsonObject,
  schema: Schema,
  options: DiffOptions & { readonly retainKeys?: boolean },
): JsonObject {
  const patch = new Map<string, unknown>();
  for (const [key, after] of Object.entries(modified)) {
    if (!Object.hasOwn(original, key)) {
      if (!options.ignoreChanges) patch.set(key, after);
    } else if (!diffDirective(patch, key, original[key], after)) {
      diffValues(patch, { key, before: original[key], after, schema, options });
    }
  }
  if (!options.ignoreDeletions) {
    for (const key of Object.keys(original))
      if (!Object.hasOwn(modified, key)) patch.set(key, null);
  }
  if (options.retainKeys) addRetainKeys(patch, original, modified);
  return Object.fromEntries(patch);
}

function diffDirective(
  patch: Map<string, unknown>,
  key: string,
  before: unknown,
  after: unknown,
): boolean {
  if (key !== patchDirective) return false;
  if (typeof before !== "string" || typeof after !== "string") {
    throw new PatchError(500, `invalid value for special key: ${patchDirective}`);
  }
  if (before !== after) patch.set(key, after);
  return true;
}

function addRetainKeys(
  patch: Map<string, unknown>,
  original: JsonObject,
  modified: JsonObject,
): void {
  const kept = Object.keys(modified).filter((key) => modified[key] !== null);
  const loses = Object.entries(original).some(
    ([key, value]) => value !== null && !Object.hasOwn(modified, key),
  );
  if (kept.length > 0 && (patch.size > 0 || loses)) patch.set(retainKeysDirective, kept.sort());
}

interface ValueDiff {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly schema: Schema;
  readonly options: DiffOptions;
}

function diffValues(patch: Map<string, unknown>, diff: ValueDiff): void {
  const { key, before, after, schema, options } = diff;
  if (isJsonObject(before) && isJsonObject(after)) {
    const change = diffMapField(before, after, () => lookupMapField(schema, key), options);
    if (change) patch.set(key, change);
  } else if (deepEqual(before, after)) {
    return;
  } else if (Array.isArray(before) && Array.isArray(after)) {
    const field = lookupListField(schema, key);
    if (field.strategy === "merge") diffListField(patch, { ...diff, before, after }, field);
    else if (!options.ignoreChanges) patch.set(key, after);
  } else if (!options.ignoreChanges) {
    patch.set(key, after);
  }
}

/**
 * The patch of a map; as upstream, one with replace strategy is always part of the patch, even if
 * unchanged.
 */
function diffMapField(
  before: JsonObject,
  after: JsonObject,
  lookup: () => PatchField,
  options: DiffOptions,
): JsonObject | undefined {
  const equal = deepEqual(before, after);
  const field = equal ? orUndefined(lookup) : lookup();
  if (field === undefined) return undefined;
  const { schema, strategy, retainKeys } = field;
  if (strategy === "replace") return options.ignoreChanges ? undefined : after;
  const change = diffMaps(before, after, schema, { ...options, retainKeys });
  return Object.keys(change).length > 0 ? change : undefined;
}

/** The result of a lookup; undefined if it throws. */
function orUndefined(lookup: () => PatchField): PatchField | undefined {
  try {
    return lookup();
  } catch {
    return undefined;
  }
}

interface ListDiff {
  readonly key: string;
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly options: DiffOptions;
}

/** The parts of a patch that change a list with merge strategy: items, deletions of scalars, and the order. */
interface ListPatch {
  readonly items: readonly unknown[];
  readonly deletions: readonly unknown[];
  readonly order: readonly unknown[];
}

function diffListField(patch: Map<string, unknown>, diff: ListDiff, field: PatchField): void {
  const { items, deletions, order } = diffLists(diff, field);
  if (items.length > 0) patch.set(diff.key, items);
  if (deletions.length > 0) patch.set(`${deletionPrefix}/${diff.key}`, deletions);
  if (order.length > 0) patch.set(`${orderPrefix}/${diff.key}`, order);
}

function diffLists(diff: ListDiff, field: PatchField): ListPatch {
  const { before, after, options } = diff;
  if (before.length === 0) {
    const items = options.ignoreChanges ? [] : after;
    return { items, deletions: [], order: [] };
  }
  return elementKind(before, after) === "map"
    ? diffListsOfMaps(diff, field)
    : diffListsOfScalars(diff);
}

function diffListsOfMaps({ before, after, options }: ListDiff, field: PatchField): ListPatch {
  const { mergeKey, schema, retainKeys } = field;
  const old = byMergeKey(before, mergeKey);
  const modified = byMergeKey(after, mergeKey);
  const changes: unknown[] = [];
  for (const [key, item] of modified) {
    const previous = old.get(key);
    if (previous) {
      const change = diffMaps(previous, item, schema, { ...options, retainKeys });
      if (Object.keys(change).length > 0) changes.push({ ...change, [mergeKey]: item[mergeKey] });
    } else if (!options.ignoreChanges) {
      changes.push(item);
    }
  }
  const deletions = options.ignoreDeletions
    ? []
    : [...old]
        .filter(([key]) => !modified.has(key))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, item]) => ({ [mergeKey]: item[mergeKey], [patchDirective]: "delete" }));
  const items = [...sortElements(changes, after, { kind: "map", mergeKey }), ...deletions];
  const sameOrder =
    before.length === after.length &&
    before.every(
      (item, index) => requireMergeKey(item, mergeKey) === requireMergeKey(after[index], mergeKey),
    );
  const ordered =
    options.setElementOrder &&
    ((!options.ignoreChanges && (items.length > 0 || !sameOrder)) ||
      (!options.ignoreDeletions && items.length > 0));
  const order = ordered ? after.map((item) => ({ [mergeKey]: requireMap(item)[mergeKey] })) : [];
  return { items, deletions: [], order };
}

/** The items of a list by the text of their merge key. */
function byMergeKey(list: readonly unknown[], mergeKey: string): Map<string, JsonObject> {
  return new Map(list.map((item) => [goValue(requireMergeKey(item, mergeKey)), requireMap(item)]));
}

function diffListsOfScalars({ before, after, options }: ListDiff): ListPatch {
  const old = new Set(before.map(goValue));
  const modified = new Set(after.map(goValue));
  const added = options.ignoreChanges ? [] : after.filter((item) => !old.has(goValue(item)));
  const deletions = options.ignoreDeletions
    ? []
    : distinct(before.filter((item) => !modified.has(goValue(item)))).sort();
  const ordered =
    options.setElementOrder &&
    ((!options.ignoreDeletions && deletions.length > 0) ||
      (!options.ignoreChanges && !deepEqual(before, after)));
  return { items: added, deletions, order: ordered ? after : [] };
}
