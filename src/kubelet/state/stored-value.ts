import { Listeners } from "./listeners.ts";

/** A value that one part sets and others read or watch. */
export class StoredValue<T> {
  readonly #listeners = new Listeners();
  #value: T;

  constructor(initial: T) {
    this.#value = initial;
  }

  get value(): T {
    return this.#value;
  }

  /** Sets the value and notifies all listeners, even if it is unchanged. */
  set(value: T): void {
    this.#value = value;
    this.#listeners.notify();
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }
}
