import { isJsonObject, ownValue } from "../values/json-value.ts";
import { patchDirective } from "./directives.ts";
import { type ElementKind, requireMergeKey } from "./elements.ts";

/**
 * The order of the items of a merged list.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
 */

/** The identity of list items. */
export interface Identity {
  readonly kind: ElementKind;
  readonly mergeKey: string;
}

/** The lists that determine an order. */
interface Parts {
  /** Items in the patch or in its order list, in any order. */
  readonly named: readonly unknown[];
  /** The other items, which only the server has. */
  readonly others: readonly unknown[];
  readonly namedOrder: readonly unknown[];
  readonly othersOrder: readonly unknown[];
}

/**
 * Sorts the named items and the others, and inserts each of the others before the next named item
 * that follows it in the server's order.
 */
export function orderElements(
  { named, others, namedOrder, othersOrder }: Parts,
  identity: Identity,
): unknown[] {
  const right = sortElements(named, namedOrder, identity);
  const left = sortElements(others, othersOrder, identity);
  const position = positions(othersOrder, identity);
  const woven: unknown[] = [];
  let next = 0;
  for (const item of right) {
    const at = position(item);
    while (at >= 0 && next < left.length) {
      const other = position(left[next]);
      if (other < 0 || other >= at) break;
      woven.push(left[next++]);
    }
    woven.push(item);
  }
  return [...woven, ...left.slice(next)];
}

/** Sorts items by an order list; items to be deleted are last. */
export function sortElements(
  items: readonly unknown[],
  order: readonly unknown[],
  identity: Identity,
): unknown[] {
  if (identity.kind !== "map") return stableSort(items, positions(order, identity));
  for (const item of [...items, ...order]) requireMergeKey(item, identity.mergeKey);
  const { kept, deleted } = splitDeletions(items);
  return [...stableSort(kept, positions(order, identity)), ...deleted];
}

/** Separates the items with `$patch: delete`. */
export function splitDeletions(items: readonly unknown[]): { kept: unknown[]; deleted: unknown[] } {
  const isDeleted = (item: unknown): boolean =>
    isJsonObject(item) && ownValue(item, patchDirective) === "delete";
  return {
    kept: items.filter((item) => !isDeleted(item)),
    deleted: items.filter(isDeleted),
  };
}

/** A function that returns an item's index in a list, or -1. */
function positions(
  list: readonly unknown[],
  { kind, mergeKey }: Identity,
): (item: unknown) => number {
  const identify = (item: unknown): unknown =>
    kind === "map" ? (isJsonObject(item) ? ownValue(item, mergeKey) : undefined) : item;
  const known = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    if (!known.has(identify(item))) known.set(identify(item), index);
  }
  return (item) => known.get(identify(item)) ?? -1;
}

/** Limit of the items that are sorted by insertion: Go sorts blocks of this size so. */
const insertionMaxItems = 20;

/**
 * As in upstream's comparison, items that are not in the order list are moved before their left
 * neighbour. In longer lists, where that comparison has no meaning, they are first.
 */
function stableSort(items: readonly unknown[], position: (item: unknown) => number): unknown[] {
  if (items.length > insertionMaxItems || items.every((item) => position(item) >= 0)) {
    return items.toSorted((a, b) => position(a) - position(b));
  }
  const sorted: unknown[] = [];
  for (const item of items) {
    let at = sorted.length;
    while (at > 0 && goesBefore(position(item), position(sorted[at - 1]))) at--;
    sorted.splice(at, 0, item);
  }
  return sorted;
}

const goesBefore = (left: number, right: number): boolean => left < 0 || right < 0 || left < right;
