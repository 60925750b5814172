import assert from "node:assert/strict";
import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import {
  AmbiguousWriteError,
  CompactedError,
  type Expectation,
  type Storage,
  StorageError,
  UnavailableError,
  type WatchBatch,
  type WriteResult,
} from "#/storage/base/storage.ts";
import { MemoryStorage } from "./memory-storage/memory-storage.ts";
import { until } from "./until.ts";

export interface ModelRunOptions {
  /** The same seed makes the same run. */
  readonly seed: number;
  readonly steps: number;
  /** Nothing else may write to the store meanwhile, under this prefix or elsewhere. */
  readonly prefix: string;
  /** A fault of the store that must not be visible. */
  readonly fault: () => Promise<void>;
}

/** Few keys, so that operations often share one. */
const keys = 8;
/** Limit of the time (ms) in which a write of unknown outcome is still executed. */
const settleMs = 50;

/**
 * Runs the same random operations on a store and on the memory model while faults happen to the
 * store, and requires the same results and events. Watches stay open throughout. See
 * storage.model.ts for the same without faults.
 */
export async function compareWithModel(storage: Storage, options: ModelRunOptions): Promise<void> {
  await using run = new ModelRun(storage, options, await storage.revision());
  try {
    await run.run();
  } catch (error) {
    throw new Error(`with seed ${options.seed}: ${error}`, { cause: error });
  }
}

class ModelRun implements AsyncDisposable {
  readonly #real: Storage;
  readonly #model = new MemoryStorage();
  readonly #options: ModelRunOptions;
  readonly #random: Random;
  /** Difference between the store's and the model's revisions. */
  readonly #offset: number;
  readonly #watches: WatchPair[] = [];
  #revision = 1;

  constructor(real: Storage, options: ModelRunOptions, revision: number) {
    this.#real = real;
    this.#options = options;
    this.#offset = revision - this.#revision;
    this.#random = seededRandom(options.seed);
  }

  async run(): Promise<void> {
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    await Promise.all([this.#real.requestProgress(), this.#model.requestProgress()]);
    for (const watch of this.#watches) await watch.check(this.#revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) watch[Symbol.dispose]();
    await this.#model[Symbol.asyncDispose]();
  }

  async #step(): Promise<void> {
    const dice = randomInt(this.#random, 100);
    if (dice < 40) await this.#write("put");
    else if (dice < 60) await this.#write("delete");
    else if (dice < 75) await this.#get();
    else if (dice < 90) await this.#range();
    else if (dice < 94) this.#watch();
    else if (dice < 96) await this.#compact();
    else if (dice < 98) await this.#real.requestProgress();
    else await this.#options.fault();
  }

  #key(): string {
    return `${this.#options.prefix}${randomInt(this.#random, keys)}`;
  }

  /** Mostly a recent revision, sometimes a compacted one, sometimes a future one. */
  #someRevision(): number {
    return Math.max(1, this.#revision + 1 - randomInt(this.#random, 30));
  }

  async #write(kind: "put" | "delete"): Promise<void> {
    const key = this.#key();
    const value = Buffer.from(`${this.#options.seed}-${this.#revision}`);
    const { entry } = await this.#model.get(key);
    const choices: Expectation[] = ["any", "absent", entry?.modRevision ?? 1, this.#someRevision()];
    const expect = choices[randomInt(this.#random, choices.length)] ?? "any";
    const write = (storage: Storage, expected: Expectation): Promise<WriteResult> =>
      kind === "put"
        ? storage.put(key, value, { expect: expected })
        : storage.delete(key, { expect: expected });
    const expectReal = typeof expect === "number" ? expect + this.#offset : expect;
    const answer = await write(this.#real, expectReal).catch((error: unknown) => error);
    if (answer instanceof UnavailableError) return;
    if (answer instanceof AmbiguousWriteError) {
      if (await this.#wasDone()) await write(this.#model, expect);
    } else {
      assert.deepEqual(
        this.#toModel(answer),
        plain(await write(this.#model, expect)),
        `${kind} ${key}`,
      );
    }
    this.#revision = await this.#model.revision();
  }

  async #wasDone(): Promise<boolean> {
    // The server may still execute a write whose connection broke, and does not report its end.
    await systemClock.sleep(settleMs);
    return (await this.#real.revision()) > this.#revision + this.#offset;
  }

  async #get(): Promise<void> {
    const key = this.#key();
    const revision = this.#random() < 0.5 ? this.#someRevision() : undefined;
    await this.#compare(`get ${key} at ${revision}`, (storage, offset) =>
      storage.get(key, revision === undefined ? {} : { revision: revision + offset }),
    );
  }

  async #range(): Promise<void> {
    const { prefix } = this.#options;
    const revision = this.#random() < 0.5 ? this.#someRevision() : undefined;
    const options = {
      limit: randomInt(this.#random, keys),
      keysOnly: this.#random() < 0.2,
      ...(this.#random() < 0.5 && { after: this.#key() }),
    };
    await this.#compare(`range ${JSON.stringify(options)} at ${revision}`, (storage, offset) =>
      storage.range(prefix, {
        ...options,
        ...(revision !== undefined && { revision: revision + offset }),
      }),
    );
  }

  async #compact(): Promise<void> {
    const revision = this.#someRevision();
    await this.#compare(`compact ${revision}`, (storage, offset) =>
      storage.compact(revision + offset),
    );
  }

  #watch(): void {
    const prefix = this.#random() < 0.5 ? this.#options.prefix : this.#key();
    this.#watches.push(
      new WatchPair(this.#real, this.#model, {
        prefix,
        after: this.#someRevision(),
        offset: this.#offset,
      }),
    );
  }

  /** Requires equal results, or errors of the same class. */
  async #compare(
    what: string,
    operation: (storage: Storage, offset: number) => Promise<unknown>,
  ): Promise<void> {
    const settle = (answer: Promise<unknown>): Promise<unknown> =>
      answer.catch((error: unknown) => {
        assert.ok(error instanceof StorageError, `${what}: ${error}`);
        return error.name;
      });
    const [real, model] = await Promise.all([
      settle(operation(this.#real, this.#offset)),
      settle(operation(this.#model, 0)),
    ]);
    assert.deepEqual(this.#toModel(real), plain(model), what);
  }

  /** A result of the store with the model's revisions. */
  #toModel(answer: unknown): unknown {
    return plain(answer, -this.#offset);
  }
}

/** A result with shifted revisions, and values as text. */
function plain(answer: unknown, offset = 0): unknown {
  if (answer instanceof Uint8Array) return Buffer.from(answer).toString();
  if (Array.isArray(answer)) return answer.map((item) => plain(item, offset));
  if (typeof answer !== "object" || answer === null) return answer;
  const fields = Object.entries(answer).map(([name, value]) => {
    const isRevision = typeof value === "number" && /revision$/i.test(name);
    return [name, isRevision ? value + offset : plain(value, offset)];
  });
  return Object.fromEntries(fields);
}

/** The same watch on the store and on the model. */
class WatchPair implements Disposable {
  readonly #stop = new AbortController();
  readonly #real: Watched;
  readonly #model: Watched;

  constructor(
    real: Storage,
    model: Storage,
    options: { prefix: string; after: number; offset: number },
  ) {
    const { prefix, after, offset } = options;
    const { signal } = this.#stop;
    this.#real = watched(real.watch(prefix, { after: after + offset, signal }), { after, offset });
    this.#model = watched(model.watch(prefix, { after, signal }), { after, offset: 0 });
  }

  /** Checks that the store's watch had the same events, or has ended with CompactedError before. */
  async check(revision: number): Promise<void> {
    for (const side of [this.#real, this.#model]) {
      await until(`revision ${revision}`, () => Boolean(side.failure) || side.reached >= revision);
    }
    const { events, failure } = this.#real;
    if (!failure) assert.equal(this.#model.failure, undefined);
    else assert.ok(failure instanceof CompactedError, `${failure}`);
    assert.deepEqual(
      events,
      failure ? this.#model.events.slice(0, events.length) : this.#model.events,
    );
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

interface Watched {
  readonly events: unknown[];
  reached: number;
  failure: unknown;
}

function watched(
  batches: AsyncIterable<WatchBatch>,
  { after, offset }: { after: number; offset: number },
): Watched {
  const seen: Watched = { events: [], reached: after, failure: undefined };
  const read = async (): Promise<void> => {
    for await (const { events, revision } of batches) {
      seen.events.push(...events.map((event) => plain(event, -offset)));
      seen.reached = revision - offset;
    }
  };
  void read().catch((error: unknown) => {
    seen.failure = error;
  });
  return seen;
}
