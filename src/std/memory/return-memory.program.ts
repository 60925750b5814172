/** Prints, as JSON, the memory of a process (KiB) with free blocks between blocks in use, before and after it rests. */
import { readFileSync } from "node:fs";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { returnMemoryWhenIdle } from "./return-memory.ts";

const blocks: (ArrayBuffer | undefined)[] = [];
for (let count = 0; count < 20_000; count++) {
  blocks.push(new Uint8Array(8192).fill(1).buffer);
  blocks.push(new Uint8Array(64).fill(1).buffer);
}
for (let index = 0; index < blocks.length; index += 2) blocks[index] = undefined;
globalThis.gc?.();

function residentKib(): { readonly own: number; readonly ofFiles: number } {
  const status = readFileSync("/proc/self/status", "utf8");
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  return { own: field("RssAnon"), ofFiles: field("RssFile") };
}

const clock = new FakeClock();
using _memory = returnMemoryWhenIdle(clock);
const before = residentKib();
await clock.advance(60_000);
await until("memory is given back", () => residentKib().own < before.own - 65_536);
process.stdout.write(JSON.stringify({ before, after: residentKib(), kept: blocks.length }));
