import type { MaybePromise } from "../base/maybe-promise.ts";
import { nextTurn } from "../time/clock.ts";

/**
 * Lets one large piece of work pass at a time, and then a whole turn of the event loop for everything else. Owners pass in rotation: one with many pieces does not delay the others.
 */
export class Turnstile {
  /** Waiting pieces by owner; the next owner is the first. Invariant: no list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isTaken = false;

  /** Passes at once if no other piece has passed in this turn or the last, and in a later turn otherwise. */
  pass(owner: string): MaybePromise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      void afterNextTurn(this.#next);
      return undefined;
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(owner);
      if (own) own.push(resolve);
      else this.#waiting.set(owner, [resolve]);
    });
  }

  readonly #next = (): void => {
    const [first] = this.#waiting;
    if (!first) {
      this.#isTaken = false;
      return;
    }
    const [owner, own] = first;
    const resume = own.shift();
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    void afterNextTurn(this.#next);
    resume?.();
  };
}

async function afterNextTurn(run: () => void): Promise<void> {
  await nextTurn();
  await nextTurn();
  run();
}
