import { randomBytes } from "node:crypto";
import type { Logger } from "#/std/log/log.ts";
import type { Forwarder } from "./forward/forwarder.ts";
import { makeQuery } from "./wire/make-query.ts";
import { recordTypes } from "./wire/record.ts";

/**
 * Finds out whether the servers that we ask would ask us in turn: a question that nobody else can
 * know, sent to them, comes back to us. Such servers are not asked again.
 */
export class LoopGuard {
  readonly #name = `${randomBytes(12).toString("hex")}.loop.invalid`;
  readonly #log: Logger;
  #looping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether forwarding leads back to us. */
  get looping(): boolean {
    return this.#looping;
  }

  /** Whether this is our own question, which then has come back. */
  recognises(name: string): boolean {
    if (name.toLowerCase() !== this.#name) return false;
    if (!this.#looping) {
      this.#log.error(undefined, "the upstream servers ask us in turn: forwarding is off");
    }
    this.#looping = true;
    return true;
  }

  /** Sends the question. */
  async probe(forwarder: Forwarder): Promise<void> {
    this.#looping = false;
    if (!forwarder.available) return;
    // Whether it is answered doesn't matter.
    await forwarder.forward(makeQuery(this.#name, recordTypes.A)).catch(() => undefined);
  }
}
