import { signal } from "@preact/signals";
import { browserClock } from "./browser-clock.ts";

/** The time (ms) that ages are counted to; it moves slowly, as few ages change in a second. */
export const now = signal(browserClock.now());

const stepMs = 5_000;

export function followTime(): void {
  browserClock.every(stepMs, () => {
    if (!document.hidden) now.value = browserClock.now();
  });
}
