import type { Steps } from "#/std/base/steps.ts";
import { isJsonObject, type JsonObject, setKey } from "../patch/values/json-value.ts";
import { anyType, type FieldType } from "./field-type.ts";
import type { PathElement } from "./path-element.ts";
import {
  asList,
  asMap,
  hasEntries,
  itemElement,
  levelsInSteps,
  membersPerStep,
  memberType,
  readKey,
} from "./typed-value.ts";

/**
 * Merges an applied configuration into a live object: leaves of the configuration win, and nothing
 * is removed.
 *
 * Upstream: vendor/sigs.k8s.io/structured-merge-diff/v6/typed/merge.go.
 */
export function mergeObjects(type: FieldType, live: JsonObject, applied: JsonObject): JsonObject {
  const merged = merge(type, live, applied);
  return isJsonObject(merged) ? merged : {};
}

/** The same in steps, for large objects. */
export function* mergeSteps(
  type: FieldType,
  live: JsonObject,
  applied: JsonObject,
): Steps<JsonObject> {
  const merged = yield* mergeMapSteps(type, live, applied, levelsInSteps);
  return isJsonObject(merged) ? merged : {};
}

function* mergeMapSteps(
  type: FieldType,
  live: JsonObject,
  applied: JsonObject,
  levels: number,
): Steps<unknown> {
  if (type.kind !== "map" || type.atomic || levels === 0) return merge(type, live, applied);
  const merged: Record<string, unknown> = { ...live };
  let count = 0;
  let isEmpty = true;
  for (const key in applied) {
    const [below, above] = [readKey(live, key), applied[key]];
    if (above !== undefined) isEmpty = false;
    const member = memberType(type, key) ?? anyType;
    const value =
      isJsonObject(below) && isJsonObject(above)
        ? yield* mergeMapSteps(member, below, above, levels - 1)
        : merge(member, below, above);
    setKey(merged, key, value);
    if (++count % membersPerStep === 0) yield;
  }
  return isEmpty && !hasEntries(live) ? applied : merged;
}

/**
 * Undefined means absent; a null in the configuration is an ordinary value, except over maps and
 * lists.
 */
function merge(type: FieldType, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  switch (type.kind) {
    case "map":
      return mergeMaps(type, live, applied);
    case "list":
      return mergeLists(type, live, applied);
    case "any":
      return mergeAny(type, live, applied);
    default:
      return applied;
  }
}

function mergeAny(type: FieldType, live: unknown, applied: unknown): unknown {
  const staysMap = asMap(live) && applied === null;
  return asMap(applied) || staysMap ? mergeMaps(type, live, applied) : applied;
}

function mergeMaps(type: FieldType, live: unknown, applied: unknown): unknown {
  const [below, above] = [asMap(live), asMap(applied)];
  if (type.atomic) return applied;
  const merged: Record<string, unknown> = { ...below };
  let isEmpty = true;
  for (const key in above) {
    const value = above[key];
    if (value !== undefined) isEmpty = false;
    const member = (type.kind === "any" ? type : memberType(type, key)) ?? anyType;
    setKey(merged, key, merge(member, below && readKey(below, key), value));
  }
  return isEmpty && !hasEntries(below) ? applied : merged;
}

function mergeLists(type: FieldType, live: unknown, applied: unknown): unknown {
  const [below, above] = [asList(live) ?? [], asList(applied) ?? []];
  if (type.atomic || (below.length === 0 && above.length === 0)) return applied;
  const olds = below.map((item) => itemElement(type, item));
  const news = above.map((item) => itemElement(type, item));
  const item = type.item ?? anyType;
  const liveItems = new Map<PathElement, unknown>();
  // Duplicates are not merged with the applied items: these replace them.
  for (const [index, element] of olds.entries()) {
    liveItems.set(element, liveItems.has(element) ? null : below[index]);
  }
  const appliedItems = new Map(news.map((element, index) => [element, above[index]]));
  return mergeOrder(olds, news).map(({ element, index }) =>
    index === undefined
      ? merge(item, liveItems.get(element), appliedItems.get(element))
      : below[index],
  );
}

/**
 * An item of a merged list: the live item at an index, or the applied item merged with the live one
 * of the same element.
 */
interface Merged {
  readonly element: PathElement;
  readonly index?: number;
}

/**
 * The order of a merged list. Items of both lists follow the order of the applied list; live items
 * that are not applied stay after the item that they followed.
 */
function mergeOrder(olds: readonly PathElement[], news: readonly PathElement[]): Merged[] {
  const [inOlds, inNews] = [new Set(olds), new Set(news)];
  const shared = news.filter((element) => inOlds.has(element))[Symbol.iterator]();
  const done = new Set<PathElement>();
  const order: Merged[] = [];
  let next: PathElement | undefined = shared.next().value;
  let [old, fresh] = [0, 0];
  const take = (element: PathElement): void => {
    order.push({ element });
    done.add(element);
    fresh++;
  };
  while (old < olds.length || fresh < news.length) {
    const left = olds[old];
    const right = news[fresh];
    if (left !== undefined && left === right) {
      take(left);
      old++;
      next = shared.next().value;
    } else if (
      left !== undefined &&
      right !== undefined &&
      inNews.has(left) &&
      next !== undefined &&
      next !== left
    ) {
      old++;
    } else if (left !== undefined && !inNews.has(left)) {
      order.push({ element: left, index: old++ });
    } else {
      if (left !== undefined && done.has(left)) old++;
      if (right === undefined) continue;
      take(right);
      if (next === right) next = shared.next().value;
    }
  }
  return order;
}
