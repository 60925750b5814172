import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Round } from "../base/admission-plugin.ts";

/**
 * Who wants to see an object again that others have changed since: what a plugin remembers from the first pass of all
 * mutating plugins to the second. Upstream: webhook/mutating/reinvocationcontext.go.
 */
export class Reinvocation {
  #last: unknown;
  /** Those that have seen the object and want to see later changes. */
  #seen = new Set<string>();
  /** Those of them after whom it has changed. */
  readonly #again = new Set<string>();

  /** The memory of a plugin, the same in both passes. */
  static of(round: Round, plugin: string): Reinvocation {
    const known = round.memory.get(plugin) as Reinvocation | undefined;
    if (known) return known;
    const memory = new Reinvocation();
    round.memory.set(plugin, memory);
    return memory;
  }

  hasChangedSince(object: unknown): boolean {
    return !deepEqual(this.#last, object);
  }

  remember(object: unknown): void {
    this.#last = deepCopy(object);
  }

  add(uid: string): void {
    this.#seen.add(uid);
  }

  /** The object has changed: all that have seen it so far and care are to see it again. */
  callAgain(): void {
    for (const uid of this.#seen) this.#again.add(uid);
    this.#seen = new Set();
  }

  wantsAgain(uid: string): boolean {
    return this.#again.has(uid);
  }
}
