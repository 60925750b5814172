import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock as clock } from "#/std/time/clock.ts";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";

/**
 * `node bench/storage-rewrite.ts`: endless updates of a few objects. The embedded store's files and memory must stay
 * bounded. The kernel may drop mapped pages of the file, so they are counted separately.
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: "." },
    rewrites: { type: "string", default: "1000000" },
    keys: { type: "string", default: "1000" },
  },
});

const directory = await mkdtemp(join(flags.directory, ".bench-storage-"));
try {
  await rewrite(Number(flags.rewrites), Number(flags.keys));
} finally {
  await rm(directory, { recursive: true });
}

async function rewrite(count: number, keys: number): Promise<void> {
  say(`${count} rewrites of ${keys} objects of 1 KiB`);
  await using store = await LmdbStorage.open({ directory });
  const start = clock.monotonicMs();
  for (let done = 0; done < count; ) {
    const until = Math.min(count, done + count / 10);
    while (done < until) {
      const batch = Array.from({ length: 250 }, () =>
        store.put(`/registry/pods/default/pod-${done++ % keys}`, newValue(), { expect: "any" }),
      );
      await Promise.all(batch);
    }
    const seconds = (clock.monotonicMs() - start) / 1000;
    const { heapUsed } = process.memoryUsage();
    const sizes = [
      `files ${mebi(await store.sizeBytes())}`,
      `memory ${mebi(await residentBytes("RssAnon"))}`,
      `of it JavaScript ${mebi(heapUsed)}`,
      `mapped file pages ${mebi(await residentBytes("RssFile"))}`,
    ];
    say(`  ${done}  ${(done / seconds).toFixed(0)}/s  ${sizes.join("  ")}`);
  }
}

function newValue(): Uint8Array {
  return new Uint8Array(1024).fill(32 + (clock.now() % 90));
}

async function residentBytes(kind: "RssAnon" | "RssFile"): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8");
  return 1024 * Number(new RegExp(`${kind}:\\s*(\\d+) kB`).exec(status)?.[1]);
}

function mebi(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
