/** Functions that are called when something has changed. */
export class Listeners<Change extends readonly unknown[] = []> {
  readonly #all = new Set<(...change: Change) => void>();

  add(listener: (...change: Change) => void): Disposable {
    this.#all.add(listener);
    return { [Symbol.dispose]: () => void this.#all.delete(listener) };
  }

  notify(...change: Change): void {
    for (const listener of this.#all) listener(...change);
  }
}
