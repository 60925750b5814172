import { aborted, orAborted } from "#/std/async/aborted.ts";
import type { Connect } from "../parts/part.ts";
import type { Component } from "../parts/run-components.ts";

/** The time during which this server leads; its access ends with it. */
interface Term {
  readonly signal: AbortSignal;
  readonly connect: Connect;
}

/** Runs a task whenever this server leads, until the signal aborts; rejects when the leadership is lost. */
export type Lead = (
  task: (signal: AbortSignal, connect: Connect) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

/** The tasks of a cluster of which one may run, on the server that leads: all of them on the same one. */
export class Leadership {
  readonly #lead: Lead;
  #term = Promise.withResolvers<Term>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(lead: Lead) {
    this.#lead = lead;
  }

  /** The election itself. When the leadership is lost it fails, and is started again as a candidate. */
  readonly component: Component = {
    name: "leadership",
    restarts: true,
    run: (stop) =>
      this.#lead(async (signal, connect) => {
        const next = () => {
          this.#term = Promise.withResolvers();
        };
        signal.addEventListener("abort", next, { once: true });
        this.#term.resolve({ signal, connect });
        await aborted(signal);
        // The next leader must not begin before these have ended.
        await Promise.allSettled(this.#running);
      }, stop),
  };

  /** Runs a task in each term of this server, until the signal aborts. Rejects if the task fails. */
  readonly whileLeading: Lead = async (task, signal) => {
    for (;;) {
      const term = await orAborted(this.#term.promise, signal);
      const both = AbortSignal.any([signal, term.signal]);
      const running = task(both, term.connect);
      this.#running.add(running);
      try {
        await running;
        if (!both.aborted) return;
      } catch (error) {
        if (!term.signal.aborted || signal.aborted) throw error;
      } finally {
        this.#running.delete(running);
      }
      signal.throwIfAborted();
    }
  };
}
