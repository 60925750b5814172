import { compareKeys } from "../base/key-order.ts";

/**
 * Limit of items in a chunk before it is split: small enough to insert cheaply, big enough that
 * chunks are few.
 */
const maxChunkSize = 512;

/** Items by their key: found by hash, listed in byte order from sorted chunks. */
export class KeyIndex<Item extends { readonly key: string }> {
  readonly #items = new Map<string, Item>();
  /** All items, in order. Invariant: no chunk is empty. */
  readonly #chunks: Item[][] = [];

  find(key: string): Item | undefined {
    return this.#items.get(key);
  }

  /** Adds an item with a new key. */
  add(item: Item): void {
    this.#items.set(item.key, item);
    const index = this.#chunkOf(item.key);
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(lowerBound(chunk, item.key), 0, item);
    if (chunk.length > maxChunkSize) {
      this.#chunks.splice(index + 1, 0, chunk.splice(maxChunkSize / 2));
    }
  }

  delete(key: string): void {
    if (!this.#items.delete(key)) return;
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index] ?? [];
    chunk.splice(lowerBound(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** The items whose keys have a prefix and come after a key (exclusive). */
  range(prefix: string, after = ""): Item[] {
    const start = compareKeys(after, prefix) > 0 ? after : prefix;
    const found: Item[] = [];
    let index = this.#chunkOf(start);
    let chunk = this.#chunks[index];
    let place = chunk ? lowerBound(chunk, start) : 0;
    while (chunk) {
      for (; place < chunk.length; place++) {
        const item = chunk[place];
        if (!item?.key.startsWith(prefix)) return found;
        if (item.key !== after) found.push(item);
      }
      chunk = this.#chunks[++index];
      place = 0;
    }
    return found;
  }

  /** The chunk of a key: the last one that doesn't start after it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#chunks[middle]?.[0]?.key ?? "", key) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The first index whose key is not before the given one. */
function lowerBound(chunk: readonly { readonly key: string }[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(chunk[middle]?.key ?? "", key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
