import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Round } from "../base/admission-plugin.ts";

/**
 * The state of a plugin between the first and the second pass of all mutating plugins: which webhooks or policies run
 * again on an object that others have changed. Upstream:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/reinvocationcontext.go.
 */
export class Reinvocation {
  #last: unknown;
  /** Those that have seen the object and run again after later changes. */
  #seen = new Set<string>();
  /** Those of them after which it has changed. */
  readonly #again = new Set<string>();

  /** The state of a plugin, the same in both passes. */
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

  /** Records a change of the object: all that have seen it and are in the set run again. */
  callAgain(): void {
    for (const uid of this.#seen) this.#again.add(uid);
    this.#seen = new Set();
  }

  wantsAgain(uid: string): boolean {
    return this.#again.has(uid);
  }
}
