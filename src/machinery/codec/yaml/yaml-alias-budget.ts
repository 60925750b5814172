import { yamlError } from "./yaml-document.ts";

/** Limit of nodes (count) up to which a document may consist almost only of aliases. */
const small = 400_000;
const large = 4_000_000;

/**
 * Counts the nodes that are read, and those read through aliases, and rejects documents that grow
 * by repetition.
 *
 * Upstream: vendor/go.yaml.in/yaml/v2/decode.go.
 */
export class AliasBudget {
  #all = 0;
  #aliased = 0;
  #depth = 0;

  /** Counts one more node. Throws DecodeError. */
  spend(): void {
    this.#all++;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased <= 100 || this.#all <= 1000) return;
    if (this.#aliased / this.#all > allowedRatio(this.#all)) {
      throw yamlError("document contains excessive aliasing");
    }
  }

  /** Counts the nodes that `read` reads as nodes of an alias. */
  within<T>(read: () => T): T {
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }
}

function allowedRatio(count: number): number {
  const size = Math.min(Math.max((count - small) / (large - small), 0), 1);
  return 0.99 - 0.89 * size;
}
