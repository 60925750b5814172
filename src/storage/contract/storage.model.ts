import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { type Random, randomInt, seededRandom } from "#/std/base/random.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { MemoryStorage } from "#/testing/memory-storage/memory-storage.ts";
import { CompactedError, type Entry, type Storage, type WriteResult } from "../base/storage.ts";
import { eventKey, eventRevision } from "../base/watch-event.ts";
import {
  bytes,
  type OpenStorage,
  type StorageUnderTest,
  text,
  WatchReader,
} from "./under-test.contract.ts";

const stepCount = 150;

/**
 * The seeds to run, from 1; more with K8TS_MODEL_SEEDS=100, a single one with K8TS_MODEL_SEED=7.
 */
export function modelSeeds(count: number): number[] {
  const { K8TS_MODEL_SEED: only, K8TS_MODEL_SEEDS: wanted = count } = process.env;
  if (only) return [Number(only)];
  return Array.from({ length: Number(wanted) }, (_, index) => index + 1);
}

/**
 * Runs random operations on a store and on the memory model, and compares the results. Revisions
 * may differ: they are compared by the writes that made them.
 */
export function storageModel(name: string, open: OpenStorage, seeds = modelSeeds(5)): void {
  for (const seed of seeds) {
    test(`${name} storage behaves as the model, seed ${seed}`, {
      timeout: 120_000,
    }, async () => {
      const random = seededRandom(seed);
      const run = await ModelRun.start(open, random);
      try {
        for (let step = 0; step < stepCount; step++) await pickStep(random)(run);
        await run.checkWatch(run.moments[0]);
        await run.checkRange();
      } finally {
        await run.close();
      }
    });
  }
}

type Step = (run: ModelRun) => Promise<void>;

/** Operations and their weights. */
const steps: readonly (readonly [weight: number, step: Step])[] = [
  [30, (run) => run.checkPut()],
  [12, (run) => run.checkDelete()],
  [8, (run) => run.burst()],
  [10, (run) => run.checkGet()],
  [10, (run) => run.checkRange()],
  [6, (run) => run.checkWatch()],
  [2, (run) => run.compact()],
  [1, (run) => run.expire()],
  [2, (run) => run.reopen()],
];

function pickStep(random: Random): Step {
  const total = steps.reduce((sum, [weight]) => sum + weight, 0);
  let left = randomInt(random, total);
  for (const [weight, step] of steps) {
    left -= weight;
    if (left < 0) return step;
  }
  return steps[0]?.[1] ?? (async () => undefined);
}

/** A state without writes under way, as the revision of each store. */
interface Moment {
  readonly actual: number;
  readonly model: number;
}

class ModelRun {
  readonly prefix = `/model/${randomUUID()}/`;
  moments: Moment[] = [];
  #under: StorageUnderTest;
  readonly #random: Random;
  readonly #clock = new FakeClock();
  readonly #model = new MemoryStorage({ clock: this.#clock });
  /** The write of each revision, in each store. */
  readonly #writes = { actual: new Map<number, string>(), model: new Map<number, string>() };
  #writeCount = 0;

  private constructor(under: StorageUnderTest, random: Random) {
    this.#under = under;
    this.#random = random;
  }

  static async start(open: OpenStorage, random: Random): Promise<ModelRun> {
    const run = new ModelRun(await open(), random);
    await run.#noteMoment();
    return run;
  }

  async close(): Promise<void> {
    await this.#under[Symbol.asyncDispose]();
    await this.#model[Symbol.asyncDispose]();
  }

  async checkPut(): Promise<void> {
    const key = this.#randomKey();
    const value = bytes(`value ${this.#writeCount}`);
    const stale = this.#chance(0.3);
    const expectations = await this.#expectations(key, stale);
    await this.#checkWrite((storage, side) =>
      storage.put(key, value, { expect: expectations[side] }),
    );
  }

  async checkDelete(): Promise<void> {
    const key = this.#randomKey();
    const expectations = await this.#expectations(key, this.#chance(0.3));
    await this.#checkWrite((storage, side) => storage.delete(key, { expect: expectations[side] }));
  }

  /** Parallel writes to different keys: their order is up to the store. */
  async burst(): Promise<void> {
    const keys = new Set(Array.from({ length: 20 }, () => this.#randomKey()));
    const writes = [...keys].map((key) => {
      const name = `write ${this.#writeCount++}`;
      const remove = this.#chance(0.3);
      return async (storage: Storage, side: keyof Moment): Promise<void> => {
        const { entry } = await storage.get(key);
        const result = remove
          ? await storage.delete(key, { expect: "any" })
          : await storage.put(key, bytes(name), { expect: "any" });
        assert.ok(result.done);
        if (!remove || entry) this.#writes[side].set(result.revision, name);
      };
    });
    await Promise.all(writes.map((write) => write(this.#under.storage, "actual")));
    await Promise.all(writes.map((write) => write(this.#model, "model")));
    await this.#noteMoment();
  }

  async checkGet(): Promise<void> {
    const key = this.#randomKey();
    const moment = this.#chance(0.5) ? this.#randomMoment() : undefined;
    await this.#compare(async (storage, side) => {
      const options = moment ? { revision: moment[side] } : {};
      const { entry } = await storage.get(key, options);
      return entry && this.#describe(entry, side);
    });
  }

  async checkRange(): Promise<void> {
    const prefix = this.prefix + ["", "a/", "b/", "none/"][randomInt(this.#random, 4)];
    const moment = this.#chance(0.5) ? this.#randomMoment() : undefined;
    const limit = this.#chance(0.5) ? randomInt(this.#random, 8) : 0;
    const after = this.#chance(0.3) ? { after: this.#randomKey() } : {};
    await this.#compare(async (storage, side) => {
      const at = moment ? { revision: moment[side] } : {};
      const { entries, remaining } = await storage.range(prefix, { limit, ...after, ...at });
      return { entries: entries.map((entry) => this.#describe(entry, side)), remaining };
    });
  }

  /**
   * Compares all events since a moment; those of different keys in any order, since bursts have
   * none.
   */
  async checkWatch(moment = this.#randomMoment()): Promise<void> {
    if (!moment) return;
    const end = this.moments.at(-1) ?? moment;
    await this.#compare(async (storage, side) => {
      using watch = new WatchReader(storage, this.prefix, moment[side]);
      const events = watch.until(end[side]);
      await storage.requestProgress();
      const told = (await events).map((event) => [
        eventKey(event),
        this.#writes[side].get(eventRevision(event)) ?? "expiry",
        event.type === "put" && this.#describe(event.entry, side),
        event.previous && this.#describe(event.previous, side),
      ]);
      return Object.entries(Object.groupBy(told, ([key]) => String(key))).toSorted();
    });
  }

  async compact(): Promise<void> {
    const moment = this.#randomMoment();
    if (!moment) return;
    await this.#under.storage.compact(moment.actual);
    await this.#model.compact(moment.model);
    this.moments = this.moments.filter(({ model }) => model >= moment.model);
    if (moment.actual === 1) return;
    const older = this.#under.storage.get(this.prefix, { revision: moment.actual - 1 });
    await assert.rejects(older, CompactedError);
  }

  /** A key with a TTL, alone, so that every store uses one revision for its expiry. */
  async expire(): Promise<void> {
    const key = this.#randomKey();
    await this.#checkWrite((storage) =>
      storage.put(key, bytes("short"), { expect: "any", ttlSeconds: 2 }),
    );
    using watch = new WatchReader(this.#under.storage, key, await this.#under.storage.revision());
    await Promise.all([this.#under.passTime(2_100), this.#clock.advance(2_100)]);
    const [event] = await watch.take(1);
    assert.equal(event?.type, "delete");
    await this.#noteMoment();
    await this.#compare(async (storage) => (await storage.get(key)).entry);
  }

  async reopen(): Promise<void> {
    if (this.#under.reopen) this.#under = await this.#under.reopen();
    await this.checkRange();
  }

  async #checkWrite(
    write: (storage: Storage, side: keyof Moment) => Promise<WriteResult>,
  ): Promise<void> {
    const name = `write ${this.#writeCount++}`;
    await this.#compare(async (storage, side) => {
      const before = await storage.revision();
      const result = await write(storage, side);
      if (result.done && result.revision > before) this.#writes[side].set(result.revision, name);
      const entry = result.done ? undefined : result.current;
      return { done: result.done, entry: entry && this.#describe(entry, side) };
    });
    await this.#noteMoment();
  }

  async #compare(ask: (storage: Storage, side: keyof Moment) => Promise<unknown>): Promise<void> {
    const [actual, model] = [
      await ask(this.#under.storage, "actual"),
      await ask(this.#model, "model"),
    ];
    assert.deepEqual(actual, model);
  }

  /** An expectation for each store: absent, any, the current revision, or a wrong one. */
  async #expectations(
    key: string,
    stale: boolean,
  ): Promise<Readonly<Record<keyof Moment, "any" | "absent" | number>>> {
    const actual = (await this.#under.storage.get(key)).entry?.modRevision;
    const model = (await this.#model.get(key)).entry?.modRevision;
    assert.equal(actual === undefined, model === undefined);
    if (stale) return { actual: (actual ?? 1) + 1_000_000, model: (model ?? 1) + 1_000_000 };
    if (this.#chance(0.4)) return { actual: "any", model: "any" };
    if (this.#chance(0.3)) return { actual: "absent", model: "absent" };
    return { actual: actual ?? "absent", model: model ?? "absent" };
  }

  #describe(entry: Entry, side: keyof Moment): unknown {
    const writes = this.#writes[side];
    return {
      key: entry.key,
      value: text(entry.value),
      modified: writes.get(entry.modRevision),
      created: writes.get(entry.createRevision),
    };
  }

  async #noteMoment(): Promise<void> {
    const actual = await this.#under.storage.revision();
    this.moments.push({ actual, model: await this.#model.revision() });
  }

  #randomMoment(): Moment | undefined {
    return this.moments[randomInt(this.#random, this.moments.length)];
  }

  #randomKey(): string {
    const folder = this.#chance(0.5) ? "a/" : "b/";
    return `${this.prefix}${folder}${randomInt(this.#random, 12)}`;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}
