import type { Entry, Expectation } from "./storage.ts";

/** Whether a key's current state fulfils the expectation of a write. */
export function isAsExpected(
  current: Pick<Entry, "modRevision"> | undefined,
  expect: Expectation,
): boolean {
  if (expect === "any") return true;
  return expect === "absent" ? current === undefined : current?.modRevision === expect;
}
