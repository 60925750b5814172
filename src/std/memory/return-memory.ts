import type { Clock, Timer } from "../time/clock.ts";
import { forgetWhenIdle } from "./forget-when-idle.ts";

/** The C library of Debian and Ubuntu. */
const library = "libc.so.6";

/**
 * Gives free memory of the C library back to the system whenever work has ended. It does so by itself only at the end of
 * its heap, where some small block that is in use holds up all the others: those of a start, for example.
 */
export const returnMemoryWhenIdle = (clock: Clock): Timer =>
  forgetWhenIdle(clock, { forget: returnFreeMemory, isDueInWork: false });

/** Takes some milliseconds. */
function returnFreeMemory(): void {
  const { emitWarning } = process;
  // Node warns that calls of C functions are experimental: the output of a program is its own.
  process.emitWarning = () => undefined;
  try {
    const { dlopen } = process.getBuiltinModule("node:ffi");
    using libc = dlopen(library, { malloc_trim: { arguments: ["u64"], return: "i32" } });
    libc.functions.malloc_trim(0n);
  } catch {
    // Another C library, or another Node.js: its memory stays as it is.
  } finally {
    process.emitWarning = emitWarning;
  }
}
