import { Worker } from "node:worker_threads";
import { type Clock, systemClock } from "#/std/time/clock.ts";

/** Interval (ms) of questions whether a thread's event loop turns, and limit of the time without an answer. */
const askMs = 15_000;
const silentMs = 60_000;

/** Size of the young generation (MiB): a thread with little garbage must not grow by that of a program. */
const youngMib = 4;

interface ThreadOptions {
  readonly name: string;
  /** Arguments of the component. */
  readonly args: readonly string[];
  /** Limit of its heap (MiB). */
  readonly heapMib: number;
  readonly clock?: Clock;
}

/**
 * Runs a component in a thread of its own until the signal aborts: neither delays the other. A thread that fails, has
 * used up its heap or hangs is an error of the component, and the process goes on.
 */
export async function runThread(
  module: URL,
  { name, args, heapMib, clock = systemClock }: ThreadOptions,
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(module, {
    name,
    workerData: args,
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
  });
  const ended = Promise.withResolvers<void>();
  worker.once("error", ended.reject);
  worker.once("exit", (code) =>
    code === 0 || signal.aborted
      ? ended.resolve()
      : ended.reject(new Error(`the thread of ${name} ended with ${code}`)),
  );
  const stop = (): void => worker.postMessage("stop");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  using _watch = watchThread(worker, clock, () => {
    ended.reject(new Error(`the thread of ${name} does not answer`));
    void worker.terminate();
  });
  try {
    await ended.promise;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Calls a function once if the thread's event loop does not turn for too long. */
function watchThread(worker: Worker, clock: Clock, hung: () => void): Disposable {
  let answeredAt = clock.monotonicMs();
  let timer = clock.setTimer(askMs, ask);
  worker.on("message", () => {
    answeredAt = clock.monotonicMs();
  });
  function ask(): void {
    if (clock.monotonicMs() - answeredAt > silentMs) hung();
    else {
      worker.postMessage("ask");
      timer = clock.setTimer(askMs, ask);
    }
  }
  return { [Symbol.dispose]: () => timer.cancel() };
}
