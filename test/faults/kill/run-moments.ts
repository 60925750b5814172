import { seededRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import type { ApiList, ClusterApi } from "./cluster-api.ts";
import { Containers } from "./containers.ts";
import { FaultyCluster, image } from "./faulty-cluster.ts";
import type { Moment } from "./moments.ts";
import { Watcher } from "./watcher.ts";
import { Workloads } from "./workloads.ts";
import { stateOfObject, Writer } from "./writer.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const writerCount = 6;
/** Pause of a writer or watcher between its requests (ms), which leaves the processors to the cluster. */
const pauseMs = 20;
/** Time between two checks of the containers (ms). */
const checkMs = 250;
/** Acknowledged writes of each writer after a moment, before the next one. */
const progress = 3;
/** Number of moments between two checks that the workloads reach their sizes. */
const settleEvery = 5;
/** Limit of a recovery (ms). */
const recoveryMs = 120_000;

export interface MomentsReport {
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly events: number;
  readonly refusals: ReadonlyMap<string, number>;
}

export interface MomentsOptions {
  readonly seed: number;
  readonly moments: readonly Moment[];
  readonly report: (line: string) => void;
}

/** Runs a load on a cluster of its own, and its faults one after the other. Ends at the first violation. */
export async function runMoments(options: MomentsOptions): Promise<MomentsReport> {
  await using cluster = await FaultyCluster.start();
  using api = cluster.api();
  await using run = new MomentsRun(cluster, api, options);
  return await run.finish();
}

class MomentsRun implements AsyncDisposable {
  readonly #cluster: FaultyCluster;
  readonly #api: ClusterApi;
  readonly #options: MomentsOptions;
  readonly #writers: readonly Writer[];
  readonly #watcher: Watcher;
  readonly #workloads: Workloads;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(cluster: FaultyCluster, api: ClusterApi, options: MomentsOptions) {
    this.#cluster = cluster;
    this.#api = api;
    this.#options = options;
    this.#writers = Array.from(
      { length: writerCount },
      (_, index) => new Writer(api, maps, `w${index}`, seededRandom(options.seed + index)),
    );
    this.#watcher = new Watcher(api, maps);
    this.#workloads = new Workloads(api, new Containers(cluster.dataFolder));
  }

  async finish(): Promise<MomentsReport> {
    const { moments, report } = this.#options;
    await this.#workloads.create(image);
    await this.#settle();
    this.#workloads.recordSteady();
    this.#startLoad();
    for (const moment of moments) {
      const started = systemClock.monotonicMs();
      try {
        await this.#pass(moment);
        const last = moment === moments.at(-1);
        if (last || moment.index % settleEvery === settleEvery - 1) await this.#settle();
      } catch (error) {
        this.#workloads.violations.push((error as Error).message);
      }
      const tookMs = Math.round(systemClock.monotonicMs() - started);
      report(`${describe(moment)}: ${tookMs} ms`);
      if (this.#violations().length > 0) break;
    }
    await this.#end();
    // The server may not have recovered from the last moment.
    for (const violation of this.#violations()) report(`VIOLATION ${violation}`);
    if (this.#violations().length === 0) await this.#compareWithList();
    if (this.#violations().length > 0) report(await this.#cluster.describe(this.#api));
    return this.#report();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #startLoad(): void {
    const { signal } = this.#stop;
    // The pace of the load; nothing waits for a result here.
    const pause = () => systemClock.sleep(pauseMs, signal).catch(() => undefined);
    const checking = async (): Promise<void> => {
      while (!signal.aborted) {
        this.#workloads.check();
        // The interval of the checks; nothing waits for a result here.
        await systemClock.sleep(checkMs, signal).catch(() => undefined);
      }
    };
    this.#running = Promise.all([
      ...this.#writers.map((writer) => writer.run(signal, pause)),
      this.#watcher.run(signal, pause),
      checking(),
    ]);
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #pass(moment: Moment): Promise<void> {
    const { kill, fullMs, afterMs, againAfterMs, changes } = moment;
    const changed = Promise.all(changes.map((change) => this.#workloads.change(change)));
    // The time is part of the plan: faults come at any moment.
    await systemClock.sleep(afterMs);
    const before = this.#writers.map(({ acknowledged }) => acknowledged);
    const faults = async (): Promise<void> => {
      for (const program of kill) this.#cluster.kill(program);
      if (againAfterMs === undefined) return;
      // The time is part of the plan: faults come at any moment.
      await systemClock.sleep(againAfterMs);
      for (const program of kill) this.#cluster.kill(program);
    };
    if (fullMs === undefined) await faults();
    else await this.#withFullDisk(fullMs, faults);
    await changed;
    await this.#recover(before);
  }

  async #withFullDisk(fullMs: number, faults: () => Promise<void>): Promise<void> {
    const { disk } = this.#cluster;
    try {
      disk.fill();
      // The time is part of the plan: faults come at any moment.
      await systemClock.sleep(fullMs / 2);
      disk.fill();
      await faults();
      // The time is part of the plan: faults come at any moment.
      await systemClock.sleep(fullMs / 2);
    } finally {
      disk.free();
    }
  }

  /** Waits until all programs run and every writer makes progress. */
  async #recover(before: readonly number[]): Promise<void> {
    const limit = { limitMs: recoveryMs };
    await until(
      "all programs run",
      () => (["server", "agent", "containerd"] as const).every((name) => this.#cluster.pidOf(name)),
      limit,
    );
    await until(
      "every writer makes progress",
      () =>
        this.#violations().length > 0 ||
        this.#writers.every(
          ({ acknowledged }, index) => acknowledged >= (before[index] ?? 0) + progress,
        ),
      limit,
    );
  }

  /** Waits until the workloads have their sizes. */
  async #settle(): Promise<void> {
    let reason: string | undefined;
    await until("the sizes are stored", () => this.#workloads.sendSizes(), { limitMs: recoveryMs });
    try {
      await until(
        "the workloads have their sizes",
        async () => {
          reason = await this.#workloads.unfinished().catch((error: Error) => error.message);
          return reason === undefined;
        },
        { limitMs: recoveryMs },
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${reason}`, { cause: error });
    }
  }

  /** Compares the writers' and the watcher's state with a list. */
  async #compareWithList(): Promise<void> {
    const { object } = await this.#api.send<ApiList>("GET", maps);
    const found = new Map(
      object.items
        .filter(({ metadata }) => /^w\d-/.test(metadata.name))
        .map((item) => [item.metadata.name, JSON.stringify(stateOfObject(item))]),
    );
    const complain = (text: string): void => void this.#workloads.violations.push(text);
    for (const { expected, revision } of this.#writers) {
      for (const [name, state] of expected) {
        const now = found.get(name) ?? JSON.stringify("absent");
        if (now !== JSON.stringify(state)) {
          complain(`${name} is ${now} in the list, not ${JSON.stringify(state)}`);
        }
      }
      if (Number(object.metadata.resourceVersion) < revision) {
        complain(`the list is at ${object.metadata.resourceVersion}, before ${revision}`);
      }
    }
  }

  #violations(): string[] {
    return [...this.#writers, this.#watcher, this.#workloads].flatMap(
      ({ violations }) => violations,
    );
  }

  #report(): MomentsReport {
    const refusals = new Map<string, number>();
    for (const writer of this.#writers) {
      for (const [refusal, count] of writer.refusals) {
        refusals.set(refusal, (refusals.get(refusal) ?? 0) + count);
      }
    }
    return {
      violations: this.#violations(),
      acknowledged: this.#writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      events: this.#watcher.events,
      refusals,
    };
  }
}

function describe({ index, kill, fullMs, againAfterMs, afterMs, changes }: Moment): string {
  const parts = [
    `moment ${index}: after ${afterMs} ms`,
    ...(fullMs === undefined ? [] : [`disk full for ${fullMs} ms`]),
    ...(kill.length === 0 ? [] : [`kill -9 ${kill.join(", ")}`]),
    ...(againAfterMs === undefined ? [] : [`again after ${againAfterMs} ms`]),
    ...(changes.length === 0 ? [] : [`${changes.length} changes`]),
  ];
  return parts.join(", ");
}
