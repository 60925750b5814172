import { constants, fstat } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { aborted } from "#/std/async/aborted.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** Interval of heartbeats (ms): several in the time limit of watchdog.sh. */
const everyMs = 10_000;
const variable = "K8TS_HEARTBEAT_FD";

/**
 * Shows to watchdog.sh that this process works, until the signal aborts: the event loop starts each heartbeat, and one of
 * the threads for files writes it. It does nothing in a process without a watchdog.
 */
export async function sendHeartbeats(
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const descriptor = Number(process.env[variable]);
  // Programs that this process starts have no watchdog.
  delete process.env[variable];
  if (descriptor > 2 && (await isPipe(descriptor))) {
    await using pipe = await openWithoutWaiting(descriptor);
    while (!signal.aborted) {
      await pipe.write(".").catch(ignoreFull);
      await clock.sleep(everyMs, signal);
    }
  }
  await aborted(signal);
}

/** A write to a pipe that nothing reads, as its watchdog was killed, must not hold up the process. */
const openWithoutWaiting = (descriptor: number): Promise<FileHandle> =>
  open(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);

function ignoreFull(error: NodeJS.ErrnoException): void {
  if (error.code !== "EAGAIN") throw error;
}

async function isPipe(descriptor: number): Promise<boolean> {
  return promisify(fstat)(descriptor).then(
    (stats) => stats.isFIFO(),
    () => false,
  );
}
