import assert from "node:assert/strict";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import {
  AmbiguousWriteError,
  type Storage,
  StorageError,
  type WatchEvent,
} from "#/storage/base/storage.ts";
import { eventKey, eventRevision } from "#/storage/base/watch-event.ts";
import { until } from "./until.ts";

/** A write attempt. */
interface Tried {
  readonly key: string;
  readonly value: string;
  /** The revision if it was acknowledged; undefined if its outcome is unknown. */
  readonly revision: number | undefined;
}

export interface WriteLoadOptions {
  readonly prefix: string;
  /** The watch begins after this revision. */
  readonly after: number;
  /** Each writes to a key of its own, one write after the other. */
  readonly writers: number;
}

/** Interval (ms) of checks of conditions, and of retries of failed writers. */
const stepMs = 5;

/**
 * Writers and a watch over all of their keys, to run during faults. check() then verifies that no
 * acknowledged write was lost, and that no event was lost, duplicated or out of order.
 */
export class WriteLoad {
  readonly #storage: Storage;
  readonly #prefix: string;
  readonly #stop = new AbortController();
  readonly #unwatch = new AbortController();
  readonly #writers: Promise<void>;
  readonly #watching: Promise<void>;
  readonly #tried: Tried[] = [];
  readonly #events: WatchEvent[] = [];
  #watched = 0;
  #acknowledged = 0;
  /** Number of failed writes, by the name of the error. */
  readonly failures: Record<string, number> = {};

  constructor(storage: Storage, { prefix, after, writers }: WriteLoadOptions) {
    this.#storage = storage;
    this.#prefix = prefix;
    this.#watching = this.#watch(after);
    const keys = Array.from({ length: writers }, (_, index) => `${prefix}${index}`);
    this.#writers = Promise.all(keys.map((key) => this.#write(key))).then(() => undefined);
  }

  /** Resolves when this number of further writes has been acknowledged. */
  async more(count: number): Promise<void> {
    const target = this.#acknowledged + count;
    await this.#until(() => this.#acknowledged >= target);
  }

  /** Ends the writers, waits for the watch to reach the end, and compares. */
  async check(): Promise<void> {
    this.#stop.abort();
    await this.#writers;
    const revision = await this.#storage.revision();
    await this.#storage.requestProgress();
    await this.#until(() => this.#watched >= revision);
    this.#unwatch.abort();
    await this.#watching;
    this.#checkOrder();
    this.#checkWrites();
    const { entries } = await this.#storage.range(this.#prefix);
    const left = new Map(this.#events.map((event) => [eventKey(event), event]));
    assert.deepEqual(
      new Map(entries.map((entry) => [entry.key, entry])),
      new Map([...left].map(([key, event]) => [key, event.type === "put" && event.entry])),
      "what is there is what the watch said last",
    );
  }

  async #until(condition: () => boolean): Promise<void> {
    await until("the load reaches the condition", async () => {
      // A failing watch ends the wait with its error.
      await Promise.race([nextTurn(), this.#watching]);
      return condition();
    });
  }

  async #watch(after: number): Promise<void> {
    const { signal } = this.#unwatch;
    for await (const batch of this.#storage.watch(this.#prefix, { after, signal })) {
      assert.ok(batch.revision >= this.#watched, "a watch never goes back");
      this.#watched = batch.revision;
      this.#events.push(...batch.events);
    }
  }

  async #write(key: string): Promise<void> {
    for (let count = 0; !this.#stop.signal.aborted; count++) {
      const value = `${key}=${count}`;
      try {
        const { entry } = await this.#storage.get(key);
        const expect = entry?.modRevision ?? "absent";
        const result = await this.#storage.put(key, new TextEncoder().encode(value), { expect });
        // No other writer has this key, but an earlier write of unknown outcome may have been
        // executed late.
        if (!result.done) continue;
        this.#tried.push({ key, value, revision: result.revision });
        this.#acknowledged++;
      } catch (error) {
        assert.ok(error instanceof StorageError, `not typed: ${error}`);
        this.failures[error.name] = (this.failures[error.name] ?? 0) + 1;
        if (error instanceof AmbiguousWriteError)
          this.#tried.push({ key, value, revision: undefined });
        // The pace of a client that retries: without it, an outage would fill memory with failed
        // writes.
        await systemClock.sleep(stepMs);
      }
    }
  }

  /** Revisions increase, and each event follows the previous one of the same key. */
  #checkOrder(): void {
    const lastOf = new Map<string, number>();
    let last = 0;
    for (const event of this.#events) {
      const key = eventKey(event);
      const revision = eventRevision(event);
      assert.ok(revision > last, `event ${revision} came after ${last}`);
      assert.equal(event.previous?.modRevision, lastOf.get(key), `an event of ${key} is missing`);
      lastOf.set(key, revision);
      last = revision;
    }
  }

  /** Every acknowledged write has its event; every event has a write, at most one. */
  #checkWrites(): void {
    const written = new Map<string, number>();
    for (const event of this.#events) {
      assert.ok(event.type === "put", "no writer deletes");
      const value = Buffer.from(event.entry.value).toString();
      assert.ok(!written.has(value), `${value} was written twice`);
      written.set(value, event.entry.modRevision);
    }
    for (const { value, revision } of this.#tried) {
      if (revision !== undefined) {
        assert.equal(written.get(value), revision, `${value} was acknowledged at ${revision}`);
      }
      written.delete(value);
    }
    assert.deepEqual([...written], [], "events without a write");
  }
}
