import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type {
  Entry,
  Storage,
  WatchBatch,
  WatchEvent,
  WatchOptions,
  WriteResult,
} from "../base/storage.ts";
import { eventRevision } from "../base/watch-event.ts";

/** A store opened for one test. Disposing of it closes the store and removes its files. */
export interface StorageUnderTest extends AsyncDisposable {
  readonly storage: Storage;
  /** Advances the store's time: a fake clock is set, a real one is waited for. */
  passTime(ms: number): Promise<void>;
  /** Closes the store and opens it again on the same data; absent if the data is not persistent. */
  reopen?(): Promise<StorageUnderTest>;
  /** Opens a new store with the content of a snapshot file; absent if not supported. */
  restore?(file: string): Promise<StorageUnderTest>;
}

/** Opens a store for one test. It needn't be empty: every test uses a prefix of its own. */
export type OpenStorage = () => Promise<StorageUnderTest>;

/** The context of a contract test: the store, and a prefix that no other test uses. */
export interface ContractContext {
  readonly storage: Storage;
  readonly prefix: string;
  readonly under: StorageUnderTest;
  readonly t: TestContext;
}

/** Declares one test of the contract. */
export function contractTest(
  open: OpenStorage,
  name: string,
  body: (context: ContractContext) => Promise<void>,
): void {
  test(name, { timeout: 60_000 }, async (t) => {
    await using under = await open();
    await body({ storage: under.storage, prefix: `/contract/${randomUUID()}/`, under, t });
  });
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

/** Key and value of each entry, readable. */
export const pairs = (entries: readonly Entry[]): [string, string][] =>
  entries.map(({ key, value }) => [key, text(value)]);

/** A put or delete that must succeed; its revision. */
export async function done(write: Promise<WriteResult>): Promise<number> {
  const result = await write;
  assert.equal(result.done, true, "the write was refused");
  return result.revision;
}

/** Puts a key in any state. */
export function put(storage: Storage, key: string, value: string): Promise<number> {
  return done(storage.put(key, bytes(value), { expect: "any" }));
}

/** An event in one line: `put KEY=VALUE (was OLD)@REVISION`. */
export function describeEvent(event: WatchEvent): string {
  const was = event.previous ? ` (was ${text(event.previous.value)})` : "";
  return event.type === "put"
    ? `put ${event.entry.key}=${text(event.entry.value)}${was}@${event.entry.modRevision}`
    : `delete ${event.key}${was}@${event.revision}`;
}

/** A watch that a test reads step by step, and that ends with the test's scope. */
export class WatchReader implements Disposable {
  readonly #abort = new AbortController();
  readonly #batches: AsyncIterator<WatchBatch>;

  constructor(
    storage: Storage,
    prefix: string,
    after: number,
    options: Pick<WatchOptions, "knowsPrevious"> = {},
  ) {
    const { signal } = this.#abort;
    this.#batches = storage.watch(prefix, { ...options, after, signal })[Symbol.asyncIterator]();
  }

  /** The next batch; undefined when the watch has ended. */
  async next(): Promise<WatchBatch | undefined> {
    const result = await this.#batches.next();
    return result.done ? undefined : result.value;
  }

  /**
   * Reads batches until this number of events has arrived, and checks the order of batches and
   * events.
   */
  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const batch = await this.next();
      assert.ok(batch, `the watch ended after ${events.length} of ${count} events`);
      events.push(...batch.events);
      const revisions = events.map(eventRevision);
      assert.deepEqual(
        revisions,
        revisions.toSorted((a, b) => a - b),
      );
      assert.ok((revisions.at(-1) ?? 0) <= batch.revision, "a batch reaches its own events");
    }
    return events;
  }

  /** Reads batches until one reaches the revision; all events on the way. */
  async until(revision: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      const batch = await this.next();
      assert.ok(batch, `the watch ended before revision ${revision}`);
      events.push(...batch.events);
      if (batch.revision >= revision) return events;
    }
  }

  abort(): void {
    this.#abort.abort();
  }

  [Symbol.dispose](): void {
    this.abort();
  }
}
