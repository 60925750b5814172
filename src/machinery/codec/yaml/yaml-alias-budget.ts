import { yamlError } from "./yaml-document.ts";

/** Small documents may consist of aliases almost wholly; large ones hardly. */
const small = 400_000;
const large = 4_000_000;

/**
 * Counts what is read and how much of it through aliases, and refuses documents that grow by repeating themselves.
 *
 * Upstream: go.yaml.in/yaml/v2/decode.go.
 */
export class AliasBudget {
  #all = 0;
  #aliased = 0;
  #depth = 0;

  /** One more node is read. Throws DecodeError. */
  spend(): void {
    this.#all++;
    if (this.#depth > 0) this.#aliased++;
    if (this.#aliased <= 100 || this.#all <= 1000) return;
    if (this.#aliased / this.#all > allowedRatio(this.#all)) {
      throw yamlError("document contains excessive aliasing");
    }
  }

  /** What `read` reads stands where an alias is. */
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
