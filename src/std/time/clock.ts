import { sleepOn, timer } from "./timer.ts";
import { enterWork, type Work } from "./turn-watch.ts";

/** The source of time, replaceable in tests. */
export interface Clock {
  /** Wall clock: whole milliseconds since 1970. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since a fixed time, never decreasing: for measuring. */
  monotonicMs(): number;
  /** Resolves after the delay; rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after the delay, unless cancelled. */
  setTimer(ms: number, run: () => void, options?: TimerOptions): Timer;
  /** Calls `run` after each interval until cancelled. */
  every(ms: number, run: () => void, options?: TimerOptions): Timer;
}

/** A scheduled call. Cancelling it twice, or after it ran, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

export interface TimerOptions {
  /** Whether the timer keeps the process alive; default true. */
  readonly keepAlive?: boolean;
}

/** Limit of Node's delays (ms); longer ones are made of several. */
const maxTimeoutMs = 2 ** 31 - 1;

/** A timer's function, as work of its own in the watch of long turns. */
function entering(run: () => void): () => void {
  const work: Work = { workKind: "timer", describeWork: () => ({ timer: run.name }) };
  return () => {
    enterWork(work);
    run();
  };
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  setTimer(ms, run, { keepAlive = true } = {}) {
    let handle: NodeJS.Timeout;
    const ring = entering(run);
    const start = (remainingMs: number): void => {
      const partMs = Math.min(remainingMs, maxTimeoutMs);
      handle = setTimeout(
        () => (partMs < remainingMs ? start(remainingMs - partMs) : ring()),
        partMs,
      );
      if (!keepAlive) handle.unref();
    };
    start(Math.max(0, ms));
    return timer(() => clearTimeout(handle));
  },
  every(ms, run, { keepAlive = true } = {}) {
    const handle = setInterval(entering(run), Math.min(ms, maxTimeoutMs));
    if (!keepAlive) handle.unref();
    return timer(() => clearInterval(handle));
  },
};

/**
 * Resolves in the next turn of the event loop, after ready I/O: for long work, so that it blocks
 * nothing. No time passes, so it is the same on every clock.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
