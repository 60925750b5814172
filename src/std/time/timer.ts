import type { Clock, Timer } from "./clock.ts";

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
