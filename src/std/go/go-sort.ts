/**
 * Sorts as Go's sort.Sort and sort.Slice do, so that equal items have the same order, also with a
 * contradictory comparison (objects without the field, each less than the other).
 *
 * Go's algorithm is the pattern-defeating quicksort (arxiv.org/abs/2106.05123) with these numbers.
 */
export function goSort<T>(items: readonly T[], isLess: (a: T, b: T) => boolean): T[] {
  const sorting = new Sorting([...items], isLess);
  sorting.quicksort(0, items.length, 32 - Math.clz32(items.length));
  return sorting.items;
}

/** Limit of a range's length for insertion sort. */
const maxInsertion = 12;
/**
 * Least length of a range with nine pivot candidates, and of one that is repaired if nearly sorted.
 */
const longRange = 50;
/** Limit of neighbours in the wrong order that are swapped before a range counts as unsorted. */
const maxRepairs = 5;
/** All comparisons of nine candidates. */
const allComparisons = 12;

interface Pivot {
  readonly at: number;
  /** The order of the candidates. */
  readonly pattern: "rising" | "falling" | "none";
}

/** A list during sorting. Ranges include their start, not their end. */
class Sorting<T> {
  readonly items: T[];
  readonly #isLess: (a: T, b: T) => boolean;

  constructor(items: T[], isLess: (a: T, b: T) => boolean) {
    this.items = items;
    this.#isLess = isLess;
  }

  /** `badChoices`: limit of unbalanced partitions before heapsort is used. */
  quicksort(from: number, to: number, badChoices: number): void {
    let [start, end, left] = [from, to, badChoices];
    let [balanced, partitioned] = [true, true];
    while (end - start > maxInsertion) {
      if (left === 0) {
        this.#heapsort(start, end);
        return;
      }
      if (!balanced) {
        this.#scatter(start, end);
        left--;
      }
      const pivot = this.#rising(start, end);
      const calm = balanced && partitioned && pivot.pattern === "rising";
      if (calm && this.#repair(start, end)) return;
      if (start > 0 && !this.#less(start - 1, pivot.at)) {
        start = this.#splitEqual(start, end, pivot.at);
        continue;
      }
      const split = this.#split(start, end, pivot.at);
      partitioned = split.was;
      const [below, above] = [split.at - start, end - split.at];
      balanced = Math.min(below, above) >= Math.floor((end - start) / 8);
      if (below < above) {
        this.quicksort(start, split.at, left);
        start = split.at + 1;
      } else {
        this.quicksort(split.at + 1, end, left);
        end = split.at;
      }
    }
    for (let at = start + 1; at < end; at++) this.#sink(at, start);
  }

  #less(a: number, b: number): boolean {
    return this.#isLess(this.items[a] as T, this.items[b] as T);
  }

  #swap(a: number, b: number): void {
    const { items } = this;
    [items[a], items[b]] = [items[b] as T, items[a] as T];
  }

  /** Moves an item towards the start while it is less than its neighbour. */
  #sink(from: number, start: number): void {
    for (let at = from; at > start && this.#less(at, at - 1); at--) this.#swap(at, at - 1);
  }

  /** Chooses a pivot; a falling range is reversed before. */
  #rising(start: number, end: number): Pivot {
    const pivot = this.#choosePivot(start, end);
    if (pivot.pattern !== "falling") return pivot;
    for (let [low, high] = [start, end - 1]; low < high; low++, high--) this.#swap(low, high);
    return { at: end - 1 - (pivot.at - start), pattern: "rising" };
  }

  /** The median of three items, or of three medians of neighbours. */
  #choosePivot(start: number, end: number): Pivot {
    const quarter = Math.floor((end - start) / 4);
    let swaps = 0;
    const ordered = (a: number, b: number): [number, number] => {
      if (!this.#less(b, a)) return [a, b];
      swaps++;
      return [b, a];
    };
    const median = (a: number, b: number, c: number): number => {
      const [low, high] = ordered(a, b);
      const [middle] = ordered(high, c);
      return ordered(low, middle)[1];
    };
    const near = (at: number): number =>
      end - start >= longRange ? median(at - 1, at, at + 1) : at;
    const [a, b, c] = [1, 2, 3].map((part) => near(start + quarter * part)) as [
      number,
      number,
      number,
    ];
    const at = median(a, b, c);
    if (swaps === 0) return { at, pattern: "rising" };
    return { at, pattern: swaps === allComparisons ? "falling" : "none" };
  }

  /** Swaps a few neighbours; returns whether the range is sorted then. */
  #repair(start: number, end: number): boolean {
    let at = start + 1;
    for (let step = 0; step < maxRepairs; step++) {
      while (at < end && !this.#less(at, at - 1)) at++;
      if (at === end) return true;
      if (end - start < longRange) return false;
      this.#swap(at, at - 1);
      if (at - start >= 2) this.#sink(at - 1, 0);
      for (let next = at + 1; next < end && this.#less(next, next - 1); next++) {
        this.#swap(next, next - 1);
      }
    }
    return false;
  }

  /**
   * Moves lesser items before the pivot; also returns whether the range was partitioned already.
   */
  #split(start: number, end: number, pivot: number): { at: number; was: boolean } {
    this.#swap(start, pivot);
    let [low, high, was] = [start + 1, end - 1, true];
    for (;;) {
      while (low <= high && this.#less(low, start)) low++;
      while (low <= high && !this.#less(high, start)) high--;
      if (low > high) break;
      this.#swap(low++, high--);
      was = false;
    }
    this.#swap(high, start);
    return { at: high, was };
  }

  /**
   * Moves items equal to the pivot before greater ones; returns the start of these. No item may be
   * less.
   */
  #splitEqual(start: number, end: number, pivot: number): number {
    this.#swap(start, pivot);
    let [low, high] = [start + 1, end - 1];
    for (;;) {
      while (low <= high && !this.#less(start, low)) low++;
      while (low <= high && this.#less(start, high)) high--;
      if (low > high) return low;
      this.#swap(low++, high--);
    }
  }

  /** Swaps three items in the middle with pseudo-random others, which depend on the length only. */
  #scatter(start: number, end: number): void {
    const length = end - start;
    const middle = start + Math.floor(length / 4) * 2;
    const mask = (1n << BigInt(32 - Math.clz32(length))) - 1n;
    let random = BigInt(length);
    for (let at = middle - 1; at <= middle + 1; at++) {
      random ^= BigInt.asUintN(64, random << 13n);
      random ^= random >> 7n;
      random ^= BigInt.asUintN(64, random << 17n);
      const other = Number(random & mask);
      this.#swap(at, start + (other >= length ? other - length : other));
    }
  }

  #heapsort(start: number, end: number): void {
    const length = end - start;
    for (let root = Math.floor((length - 1) / 2); root >= 0; root--) {
      this.#siftDown(start, root, length);
    }
    for (let last = length - 1; last >= 0; last--) {
      this.#swap(start, start + last);
      this.#siftDown(start, 0, last);
    }
  }

  #siftDown(start: number, from: number, length: number): void {
    for (let root = from; ; ) {
      let child = 2 * root + 1;
      if (child >= length) return;
      if (child + 1 < length && this.#less(start + child, start + child + 1)) child++;
      if (!this.#less(start + root, start + child)) return;
      this.#swap(start + root, start + child);
      root = child;
    }
  }
}
