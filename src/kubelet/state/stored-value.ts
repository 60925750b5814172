import { Listeners } from "./listeners.ts";

/** One value that a part sets and others read or follow. */
export class StoredValue<T> {
  readonly #listeners = new Listeners();
  #value: T;

  constructor(initial: T) {
    this.#value = initial;
  }

  get value(): T {
    return this.#value;
  }

  /** Sets the value and notifies all listeners, also if it is the same as before. */
  set(value: T): void {
    this.#value = value;
    this.#listeners.notify();
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }
}
