import { goType, goValue } from "../values/go-value.ts";
import { isJsonObject, type JsonObject, ownValue } from "../values/json-value.ts";
import { PatchError } from "../values/patch-error.ts";

/**
 * The items of lists that a strategic merge patch merges.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go,
 * staging/src/k8s.io/apimachinery/pkg/util/mergepatch/errors.go.
 */
export type ElementKind = "map" | "scalar";

/**
 * The kind of all items of the lists; throws PatchError if they differ, are lists, or if there are
 * none.
 */
export function elementKind(...lists: readonly (readonly unknown[])[]): ElementKind {
  const items = lists.flat(1);
  if (items.length === 0) throw new PatchError(500, "no elements in any of the given slices");
  const type = goType(items[0]);
  if (type === "[]interface {}") throw new PatchError(422, "lists of lists are not supported");
  if (items.some((item) => goType(item) !== type)) {
    throw new PatchError(500, `list element types are not identical: ${goValue(lists)}`);
  }
  return isJsonObject(items[0]) ? "map" : "scalar";
}

/** The value of an item's merge key; throws PatchError if it has none. */
export function requireMergeKey(item: unknown, mergeKey: string): unknown {
  const map = requireMap(item);
  if (Object.hasOwn(map, mergeKey)) return map[mergeKey];
  throw new PatchError(
    500,
    `map: ${goValue(map)} does not contain declared merge key: ${mergeKey}`,
  );
}

/** The value as a map; throws PatchError if it is not one. */
export function requireMap(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrongType("map[string]interface {}", value);
}

/** The value as a list; throws PatchError if it is not one. */
export function requireList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongType("[]interface {}", value);
}

function wrongType(expected: string, actual: unknown): PatchError {
  const type = actual === null || actual === undefined ? "%!s(<nil>)" : goType(actual);
  return new PatchError(500, `expected a ${expected}, but received a ${type}`);
}

/** The items of a list by their merge key, of which the first one counts. */
export class ElementIndex {
  readonly #mergeKey: string;
  readonly #indices = new Map<unknown, number>();
  /** The indices of the items whose merge key is null, in order. */
  readonly #nulls: number[] = [];
  /** The number of these that have lost it. */
  #lostNulls = 0;
  /** The index of the first item that is not a map; items after it are not known. */
  #firstOther: number | undefined;
  #size = 0;

  constructor(list: readonly unknown[], mergeKey: string) {
    this.#mergeKey = mergeKey;
    for (const item of list) this.add(item);
  }

  /** Adds the item that follows the last one. */
  add(item: unknown): void {
    const index = this.#size++;
    if (this.#firstOther !== undefined) return;
    if (!isJsonObject(item)) this.#firstOther = index;
    else if (Object.hasOwn(item, this.#mergeKey)) {
      const value = ownValue(item, this.#mergeKey);
      if (value === null) this.#nulls.push(index);
      else if (!this.#indices.has(value)) this.#indices.set(value, index);
    }
  }

  /** The first item whose merge key is null has lost it. */
  dropFirstNull(): void {
    this.#lostNulls++;
  }

  /** The index of the item with this merge key, or -1; throws PatchError if an item before it is not a map. */
  find(value: unknown): number {
    const index = value === null ? this.#nulls[this.#lostNulls] : this.#indices.get(value);
    if (index !== undefined) return index;
    if (this.#firstOther === undefined) return -1;
    throw new PatchError(500, `value for key ${this.#firstOther} is not a map`);
  }
}

/** The scalars of a list without duplicates. */
export const distinct = (items: readonly unknown[]): unknown[] => [...new Set(items)];
