import type { Writable } from "node:stream";

/** Resolves when the stream accepts more data, or is closed. Leaves no listener behind. */
export function drained(to: Writable, signal: AbortSignal): Promise<void> {
  const events = ["drain", "close", "error"];
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) to.off(event, done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    for (const event of events) to.on(event, done);
    signal.addEventListener("abort", done);
  });
}
