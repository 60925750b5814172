import { compareKeys } from "../key-order.ts";

/** Items in a chunk before it is split: small enough to insert cheaply, big enough that chunks are few. */
const maxChunkSize = 512;

/** A map from keys to items that carry their key, in byte order: sorted chunks, themselves in order. */
export class KeyIndex<Item extends { readonly key: string }> {
  /** Invariant: no chunk is empty. */
  readonly #chunks: Item[][] = [];

  find(key: string): Item | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)];
    const item = chunk?.[lowerBound(chunk, key)];
    return item?.key === key ? item : undefined;
  }

  /** Adds the item, in place of the one that has its key. */
  set(item: Item): void {
    const index = this.#chunkOf(item.key);
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#chunks.push([item]);
      return;
    }
    const place = lowerBound(chunk, item.key);
    chunk.splice(place, chunk[place]?.key === item.key ? 1 : 0, item);
    if (chunk.length > maxChunkSize) {
      this.#chunks.splice(index + 1, 0, chunk.splice(maxChunkSize / 2));
    }
  }

  delete(key: string): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    const place = chunk ? lowerBound(chunk, key) : -1;
    if (chunk?.[place]?.key !== key) return;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** The items from a key on (inclusive). The index must not change meanwhile. */
  *from(key: string): Generator<Item> {
    for (let index = this.#chunkOf(key); index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index] ?? [];
      for (let place = lowerBound(chunk, key); place < chunk.length; place++) {
        const item = chunk[place];
        if (item) yield item;
      }
    }
  }

  /** The chunk where a key is or would be: the last one that doesn't start after it. */
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

/** The first place whose key is not before the given one. */
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
