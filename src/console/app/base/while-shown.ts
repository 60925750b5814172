import { useEffect } from "preact/hooks";

/** Runs `start` while the component is shown, again when a dependency changes; the signal aborts at its end. */
export function useWhileShown(
  start: (signal: AbortSignal) => void,
  dependencies: readonly unknown[],
): void {
  useEffect(() => {
    const stop = new AbortController();
    start(stop.signal);
    return () => stop.abort();
  }, dependencies as unknown[]);
}
