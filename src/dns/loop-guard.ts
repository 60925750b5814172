import { randomBytes } from "node:crypto";
import type { Logger } from "#/std/log/log.ts";
import type { Forwarder } from "./forward/forwarder.ts";
import { makeQuery } from "./wire/make-query.ts";
import { recordTypes } from "./wire/record.ts";

/**
 * Detects forwarding loops: if a random question that is sent to the upstream servers arrives here,
 * they forward to us. Then forwarding is disabled.
 */
export class LoopGuard {
  readonly #name = `${randomBytes(12).toString("hex")}.loop.invalid`;
  readonly #log: Logger;
  #looping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether there is a forwarding loop. */
  get looping(): boolean {
    return this.#looping;
  }

  /** Whether this is our own question, which means a loop. */
  recognises(name: string): boolean {
    if (name.toLowerCase() !== this.#name) return false;
    if (!this.#looping) {
      this.#log.error(undefined, "disabled forwarding: upstream servers forward to this server");
    }
    this.#looping = true;
    return true;
  }

  /** Sends the question by each of them. */
  async probe(forwarders: readonly Forwarder[]): Promise<void> {
    this.#looping = false;
    for (const forwarder of forwarders.filter(({ available }) => available)) {
      // The response does not matter.
      await forwarder.forward(makeQuery(this.#name, recordTypes.A)).catch(() => undefined);
    }
  }
}
