import type { Entry, Expectation, Guard } from "./storage.ts";

/** Whether a key's current state fulfils the expectation of a write. */
export function isAsExpected(
  current: Pick<Entry, "modRevision"> | undefined,
  expect: Expectation,
): boolean {
  if (expect === "any") return true;
  return expect === "absent" ? current === undefined : current?.modRevision === expect;
}

/** Whether a write's guard lets it through; `find` returns the current state of a key. */
export function isLetThrough(
  guard: Guard | undefined,
  find: (key: string) => Pick<Entry, "modRevision"> | undefined,
): boolean {
  return guard === undefined || find(guard.key)?.modRevision === guard.modRevision;
}
