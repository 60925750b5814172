import type { Entry, Expectation } from "./storage.ts";

/** Whether a write that expects this may go ahead, given what is there. */
export function isAsExpected(
  current: Pick<Entry, "modRevision"> | undefined,
  expect: Expectation,
): boolean {
  if (expect === "any") return true;
  return expect === "absent" ? current === undefined : current?.modRevision === expect;
}
