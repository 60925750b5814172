/** Finds the prefixes of a text among many, by binary search. */
export class PrefixIndex {
  /** In order. All prefixes of a text come before it, and those between one of them and the text begin with it. */
  readonly #sorted: readonly string[];
  /** For each prefix the position of the longest other one that it begins with; -1 if there is none. */
  readonly #outer: readonly number[];

  constructor(prefixes: Iterable<string>) {
    const sorted = [...new Set(prefixes)].sort();
    const outer: number[] = [];
    for (const [index, prefix] of sorted.entries()) {
      let candidate = index - 1;
      while (candidate >= 0 && !prefix.startsWith(sorted[candidate] ?? "")) {
        candidate = outer[candidate] ?? -1;
      }
      outer.push(candidate);
    }
    this.#sorted = sorted;
    this.#outer = outer;
  }

  /** The prefixes that a text begins with, the longest first. */
  *prefixesOf(text: string): Generator<string> {
    let at = this.#lastUpTo(text);
    while (at >= 0 && !text.startsWith(this.#sorted[at] ?? "")) at = this.#outer[at] ?? -1;
    for (; at >= 0; at = this.#outer[at] ?? -1) yield this.#sorted[at] ?? "";
  }

  /** Whether a text begins with one of the prefixes. */
  covers(text: string): boolean {
    return this.prefixesOf(text).next().done !== true;
  }

  /** The position of the last prefix that is not after a text; -1 if all are. */
  #lastUpTo(text: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? "") <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
