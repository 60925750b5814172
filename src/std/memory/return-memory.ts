import { readFile } from "node:fs/promises";
import type { Clock, Timer } from "../time/clock.ts";
import { forgetWhenIdle } from "./forget-when-idle.ts";
import { type Region, unchangedRegions } from "./unchanged-regions.ts";

/** The C library of Debian and Ubuntu. */
const library = "libc.so.6";
/**
 * Limit of the processor's share of a process that rests: three times that of an idle cluster's server. One that works would
 * need its memory again at once, which takes its next requests some 100 ms.
 */
const idleShare = 0.015;
/** MADV_DONTNEED of madvise(2): pages that are used again are read again, from the system's cache of the file mostly. */
const dontNeed = 4;

/**
 * Gives memory back to the system whenever work has ended: free blocks of the C library, which returns them by itself only
 * at the end of its heap, where a block in use holds up all others; and the pages of Node's program, of which a start
 * needs twice as many as rest.
 */
export const returnMemoryWhenIdle = (clock: Clock): Timer =>
  forgetWhenIdle(clock, { forget: () => void returnMemory(), isDueInWork: false, idleShare });

async function returnMemory(): Promise<void> {
  // The kernel walks through all memory for it, which takes milliseconds: a thread for files waits for that.
  const smaps = await readFile("/proc/self/smaps", "utf8").catch(() => "");
  giveBack(unchangedRegions(smaps, process.execPath));
}

/** Takes some milliseconds. */
function giveBack(regions: readonly Region[]): void {
  const { emitWarning } = process;
  // Node warns that calls of C functions are experimental: the output of a program is its own.
  process.emitWarning = () => undefined;
  try {
    using libc = process.getBuiltinModule("node:ffi").dlopen(library, {
      malloc_trim: { arguments: ["u64"], return: "i32" },
      madvise: { arguments: ["u64", "u64", "i32"], return: "i32" },
    });
    libc.functions.malloc_trim(0n);
    for (const { start, size } of regions) libc.functions.madvise(start, size, dontNeed);
  } catch {
    // Another C library, or another Node.js: its memory stays as it is.
  } finally {
    process.emitWarning = emitWarning;
  }
}
