/** A binary heap with a lookup by key, so that items can be replaced and removed. */
export class Heap<T> {
  readonly #keyOf: (item: T) => string;
  readonly #less: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #positions = new Map<string, number>();

  constructor(keyOf: (item: T) => string, less: (a: T, b: T) => boolean) {
    this.#keyOf = keyOf;
    this.#less = less;
  }

  get size(): number {
    return this.#items.length;
  }

  /** All items, in no order. */
  values(): readonly T[] {
    return this.#items;
  }

  get(key: string): T | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#items[position];
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item or replaces the one with its key. */
  set(item: T): void {
    const key = this.#keyOf(item);
    const position = this.#positions.get(key) ?? this.#items.length;
    this.#items[position] = item;
    this.#positions.set(key, position);
    this.#settle(position);
  }

  /** Removes the first item. */
  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.#removeAt(0);
    return first;
  }

  delete(key: string): T | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    const item = this.#items[position];
    this.#removeAt(position);
    return item;
  }

  #removeAt(position: number): void {
    const last = this.#items.length - 1;
    this.#swap(position, last);
    const removed = this.#items.pop();
    if (removed !== undefined) this.#positions.delete(this.#keyOf(removed));
    if (position < last) this.#settle(position);
  }

  #settle(position: number): void {
    this.#sink(this.#rise(position));
  }

  #rise(start: number): number {
    let position = start;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#before(position, parent)) break;
      this.#swap(position, parent);
      position = parent;
    }
    return position;
  }

  #sink(start: number): void {
    let position = start;
    for (;;) {
      let least = position;
      for (const child of [2 * position + 1, 2 * position + 2]) {
        if (child < this.#items.length && this.#before(child, least)) least = child;
      }
      if (least === position) return;
      this.#swap(position, least);
      position = least;
    }
  }

  #before(a: number, b: number): boolean {
    const first = this.#items[a];
    const second = this.#items[b];
    return first !== undefined && second !== undefined && this.#less(first, second);
  }

  #swap(a: number, b: number): void {
    const first = this.#items[a];
    const second = this.#items[b];
    if (first === undefined || second === undefined || a === b) return;
    this.#items[a] = second;
    this.#items[b] = first;
    this.#positions.set(this.#keyOf(second), a);
    this.#positions.set(this.#keyOf(first), b);
  }
}
