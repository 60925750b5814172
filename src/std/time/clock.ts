/** Time as the rest of the code sees it, so that tests can stand still or leap. */
export interface Clock {
  /** Wall clock: whole milliseconds since 1970. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some fixed moment, never going back: for measuring. */
  monotonicMs(): number;
  /** Resolves after so long; rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after so long, unless cancelled. */
  setTimer(ms: number, run: () => void, options?: TimerOptions): Timer;
  /** Calls `run` after each interval until cancelled. */
  every(ms: number, run: () => void, options?: TimerOptions): Timer;
}

/** A call to come. Cancelling it twice, or after it ran, does nothing. */
export interface Timer extends Disposable {
  cancel(): void;
}

export interface TimerOptions {
  /** Whether the process stays alive for this timer alone; default true. */
  readonly keepAlive?: boolean;
}

/** The longest delay that Node takes; longer ones are made of several. */
const maxTimeoutMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  setTimer(ms, run, { keepAlive = true } = {}) {
    let handle: NodeJS.Timeout;
    const start = (remainingMs: number): void => {
      const partMs = Math.min(remainingMs, maxTimeoutMs);
      handle = setTimeout(
        () => (partMs < remainingMs ? start(remainingMs - partMs) : run()),
        partMs,
      );
      if (!keepAlive) handle.unref();
    };
    start(Math.max(0, ms));
    return timer(() => clearTimeout(handle));
  },
  every(ms, run, { keepAlive = true } = {}) {
    const handle = setInterval(run, Math.min(ms, maxTimeoutMs));
    if (!keepAlive) handle.unref();
    return timer(() => clearInterval(handle));
  },
};

/**
 * Resolves after all that is ready now has had its turn, I/O included: what long work awaits now
 * and then, so that it holds up nothing. No time passes, so it is the same on every clock.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A Timer that is cancelled by the given function. */
export function timer(cancel: () => void): Timer {
  return { cancel, [Symbol.dispose]: cancel };
}

/** Clock.sleep in terms of Clock.setTimer. */
export function sleepOn(
  clock: Pick<Clock, "setTimer">,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      pending.cancel();
      reject(signal?.reason);
    };
    const pending = clock.setTimer(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
