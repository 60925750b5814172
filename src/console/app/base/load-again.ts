import { browserClock } from "./browser-clock.ts";

/** Attempts to load modules, and the wait between them (ms): a browser drops requests when the machine's network changes. */
const attempts = 5;
const waitMs = 400;

/** Loads modules, and tries again if that fails. */
export async function loadAgain<T>(load: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      if (attempt === attempts) throw error;
      await browserClock.wait(waitMs * attempt, new AbortController().signal);
    }
  }
}
