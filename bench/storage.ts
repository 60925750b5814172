import { mkdtemp, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { systemClock as clock } from "#/std/clock.ts";
import { EtcdStorage } from "#/storage/etcd/etcd-storage.ts";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";
import type { Storage } from "#/storage/storage.ts";
import { EtcdCluster } from "#/testing/etcd-cluster.ts";

/**
 * `node bench/storage.ts`: the embedded store against a real etcd that syncs, on the same disk, in turns. Writes are of
 * 1 KiB over 10,000 keys and count when they are acknowledged, that is durable.
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: "." },
    etcd: { type: "string", default: join(homedir(), ".cache/kube-conformance/bin/etcd") },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    rewrites: { type: "string", default: "1000000" },
  },
});

const value = new Uint8Array(1024).map((_, index) => 32 + (index % 90));
const keyCount = 10_000;
const keyOf = (index: number): string => `/registry/pods/default/pod-${(index * 7919) % keyCount}`;

/** What one writer load did to one store. */
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
const stores: Readonly<Record<string, Storage>> = {
  lmdb: stack.use(await LmdbStorage.open({ directory: join(directory, "lmdb") })),
  etcd: stack.use(await EtcdStorage.open({ endpoints: cluster.endpoints })),
};
for (const writers of [1, 16, 256]) await compareWrites(writers);
await compareRanges();
await rewrite(Number(flags.rewrites));

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
      await store.put(keyOf(next++), value, { expect: "any" });
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
  const times = [];
  for (const [name, store] of Object.entries(stores)) {
    for (let index = 0; index < keyCount; index += 250) {
      const batch = Array.from({ length: 250 }, (_, offset) =>
        store.put(keyOf(index + offset), value, { expect: "any" }),
      );
      await Promise.all(batch);
    }
    const samples: number[] = [];
    for (let run = 0; run < 20; run++) {
      const start = clock.monotonicMs();
      const { entries } = await store.range("/registry/pods/");
      samples.push(clock.monotonicMs() - start);
      if (entries.length !== keyCount) throw new Error(`${entries.length} objects`);
    }
    times.push(median(samples));
    say(`  ${name}  ${median(samples).toFixed(1)} ms`);
  }
  const [lmdb = 0, etcd = 0] = times;
  say(`  ${(etcd / lmdb).toFixed(1)}× as fast`);
}

/** Endless updates of a few objects: memory and file must stay bounded. */
async function rewrite(count: number): Promise<void> {
  say(`\n${count} rewrites of 1,000 objects of 1 KiB`);
  await using store = await LmdbStorage.open({ directory: join(directory, "rewrite") });
  const start = clock.monotonicMs();
  for (let done = 0; done < count; ) {
    const until = Math.min(count, done + count / 10);
    while (done < until) {
      const batch = Array.from({ length: 250 }, () =>
        store.put(keyOf(done++ % 1000), value, { expect: "any" }),
      );
      await Promise.all(batch);
    }
    const seconds = (clock.monotonicMs() - start) / 1000;
    const { rss, heapUsed } = process.memoryUsage();
    const size = await store.sizeBytes();
    say(
      `  ${done}  ${(done / seconds).toFixed(0)}/s  files ${mebi(size)} MiB  rss ${mebi(rss)} MiB  heap ${mebi(heapUsed)} MiB`,
    );
  }
}

function percentile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function median(samples: readonly number[]): number {
  return percentile(samples, 50);
}

function mebi(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
