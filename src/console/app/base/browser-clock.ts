/** The browser's clock: the only place of the console that reads the time or waits. */
export const browserClock = {
  /** Milliseconds since 1970. */
  now: (): number => Date.now(),
  /** Calls `run` once after the delay, unless the returned function was called before. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  /** Calls `run` after each interval, until the returned function is called. */
  every(ms: number, run: () => void): () => void {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  /** Resolves after the delay, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
    });
  },
} as const;
