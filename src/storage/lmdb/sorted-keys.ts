import { compareKeys } from "../key-order.ts";

/** Keys in a chunk before it is split: small enough to insert cheaply, big enough that chunks are few. */
const maxChunkSize = 512;

/** A set of keys in byte order: sorted chunks, themselves in order. */
export class SortedKeys {
  /** Invariant: no chunk is empty. */
  readonly #chunks: string[][] = [];

  add(key: string): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#chunks.push([key]);
      return;
    }
    const place = lowerBound(chunk, key);
    if (chunk[place] === key) return;
    chunk.splice(place, 0, key);
    if (chunk.length > maxChunkSize) {
      this.#chunks.splice(index + 1, 0, chunk.splice(maxChunkSize / 2));
    }
  }

  delete(key: string): void {
    const index = this.#chunkOf(key);
    const chunk = this.#chunks[index];
    const place = chunk ? lowerBound(chunk, key) : -1;
    if (chunk?.[place] !== key) return;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(index, 1);
  }

  /** The keys from a given one on (inclusive). The set must not change meanwhile. */
  *from(key: string): Generator<string> {
    const first = this.#chunkOf(key);
    for (let index = first; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index] ?? [];
      const start = index === first ? lowerBound(chunk, key) : 0;
      for (let place = start; place < chunk.length; place++) yield chunk[place] ?? "";
    }
  }

  /** The chunk where a key is or would be: the last one that doesn't start after it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#chunks[middle]?.[0] ?? "", key) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The first place whose key is not before the given one. */
function lowerBound(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(chunk[middle] ?? "", key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
