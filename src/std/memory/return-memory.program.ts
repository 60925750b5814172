/** Prints, as JSON, the resident memory of a process (bytes) with free memory between blocks in use, before and after it rests. */
import { FakeClock } from "#/testing/fake-clock.ts";
import { returnMemoryWhenIdle } from "./return-memory.ts";

const blocks: (ArrayBuffer | undefined)[] = [];
for (let count = 0; count < 20_000; count++) {
  blocks.push(new Uint8Array(8192).fill(1).buffer);
  blocks.push(new Uint8Array(64).fill(1).buffer);
}
for (let index = 0; index < blocks.length; index += 2) blocks[index] = undefined;
globalThis.gc?.();
const clock = new FakeClock();
using _memory = returnMemoryWhenIdle(clock);
const before = process.memoryUsage.rss();
await clock.advance(5 * 60_000);
const after = process.memoryUsage.rss();
process.stdout.write(JSON.stringify({ before, after, kept: blocks.length }));
