import { mkdtemp, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { systemClock as clock } from "#/std/time/clock.ts";
import type { RangeResult, Storage } from "#/storage/base/storage.ts";
import { EtcdStorage } from "#/storage/etcd/etcd-storage.ts";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";

/**
 * `node bench/storage.ts`: the embedded store against a real etcd that syncs, on the same disk, in turns. Writes are of
 * 1 KiB over 10,000 keys and count when they are acknowledged, that is, durable.
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: "." },
    etcd: { type: "string", default: join(homedir(), ".cache/kube-conformance/bin/etcd") },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});

/** A new value each time, as with real objects. */
const newValue = (): Uint8Array => new Uint8Array(1024).fill(32 + (valueCount++ % 90));
let valueCount = 0;
const keyCount = 10_000;
const keyOf = (index: number): string => `/registry/pods/default/pod-${(index * 7919) % keyCount}`;

/** The result of one load of writes on one store. */
interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loopP99Ms: number;
}

await using stack = new AsyncDisposableStack();
const directory = await mkdtemp(join(flags.directory, ".bench-storage-"));
stack.defer(() => rm(directory, { recursive: true }));
const cluster = stack.use(await EtcdCluster.start({ program: flags.etcd, directory }));
const stores: Record<string, Storage> = {
  lmdb: await LmdbStorage.open({ directory: join(directory, "lmdb") }),
  etcd: await EtcdStorage.open({ endpoints: cluster.endpoints }),
};
stack.defer(async () => {
  for (const store of Object.values(stores)) await store[Symbol.asyncDispose]();
});
for (const writers of [1, 16, 256]) await compareWrites(writers);
await compareRanges();

async function compareWrites(writers: number): Promise<void> {
  const loads: Record<string, Load[]> = {};
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [name, store] of Object.entries(stores)) {
      const load = await writeFor(store, writers, Number(flags.seconds) * 1000);
      loads[name] = [...(loads[name] ?? []), load];
    }
  }
  say(`\n${writers} concurrent writer(s), median of ${flags.rounds} rounds`);
  const results = Object.entries(loads).map(([name, all]) => {
    const result = {
      perSecond: median(all.map((load) => load.perSecond)),
      p50Ms: median(all.map((load) => load.p50Ms)),
      p99Ms: median(all.map((load) => load.p99Ms)),
      loopP99Ms: median(all.map((load) => load.loopP99Ms)),
    };
    say(
      `  ${name}  ${result.perSecond.toFixed(0)}/s  p50 ${result.p50Ms.toFixed(2)} ms  p99 ${result.p99Ms.toFixed(2)} ms  event loop p99 ${result.loopP99Ms.toFixed(1)} ms`,
    );
    return result;
  });
  const [lmdb, etcd] = results;
  if (lmdb && etcd) {
    const p99 = lmdb.p99Ms / etcd.p99Ms;
    say(
      `  ${(lmdb.perSecond / etcd.perSecond).toFixed(1)}× the writes, ${p99.toFixed(2)}× the p99`,
    );
  }
}

async function writeFor(store: Storage, writers: number, durationMs: number): Promise<Load> {
  const latencies: number[] = [];
  let next = 0;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = clock.monotonicMs();
  const write = async (): Promise<void> => {
    for (let now = start; now - start < durationMs; ) {
      const begin = clock.monotonicMs();
      await store.put(keyOf(next++), newValue(), { expect: "any" });
      now = clock.monotonicMs();
      latencies.push(now - begin);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const elapsedMs = clock.monotonicMs() - start;
  delay.disable();
  return {
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    loopP99Ms: delay.percentile(99) / 1e6,
  };
}

async function compareRanges(): Promise<void> {
  say(`\nrange of ${keyCount} objects of 1 KiB, median of 20`);
  for (const store of Object.values(stores)) await writeAll(store);
  const etcd = await timeRanges("etcd", async () => stores["etcd"]);
  // The API server's watch cache holds the values of all objects, so the store need not read them again.
  const held = await timeRanges("lmdb, values held by the caller", async () => stores["lmdb"]);
  const cold = await timeRanges("lmdb, first range after opening", async () => {
    await stores["lmdb"]?.[Symbol.asyncDispose]();
    stores["lmdb"] = await LmdbStorage.open({ directory: join(directory, "lmdb") });
    return stores["lmdb"];
  });
  say(`  ${(etcd / held).toFixed(1)}× and ${(etcd / cold).toFixed(1)}× as fast`);
}

async function writeAll(store: Storage): Promise<void> {
  for (let index = 0; index < keyCount; index += 250) {
    const batch = Array.from({ length: 250 }, (_, offset) =>
      store.put(keyOf(index + offset), newValue(), { expect: "any" }),
    );
    await Promise.all(batch);
  }
}

async function timeRanges(name: string, open: () => Promise<Storage | undefined>): Promise<number> {
  const samples: number[] = [];
  let held: RangeResult | undefined;
  for (let run = 0; run < 20; run++) {
    const store = await open();
    const start = clock.monotonicMs();
    held = await store?.range("/registry/pods/");
    samples.push(clock.monotonicMs() - start);
    if (held?.entries.length !== keyCount) throw new Error(`${held?.entries.length} objects`);
  }
  say(`  ${name}  ${median(samples).toFixed(1)} ms`);
  return median(samples);
}

function percentile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function median(samples: readonly number[]): number {
  return percentile(samples, 50);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
