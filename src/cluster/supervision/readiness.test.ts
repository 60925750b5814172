import assert from "node:assert/strict";
import { test } from "node:test";
import { isReadySince } from "./ready-since.ts";

const at = (seconds: number): number => Date.parse("2026-01-01T00:00:00Z") + seconds * 1000;
const cases: { line: string; since: number; ready: boolean }[] = [
  { line: "", since: 0, ready: false },
  { line: "True 2026-01-01T00:00:05Z", since: 0, ready: true },
  { line: "False 2026-01-01T00:00:05Z", since: 0, ready: false },
  { line: "True 2026-01-01T00:00:05Z", since: at(5.9), ready: true },
  { line: "True 2026-01-01T00:00:05Z", since: at(6.1), ready: false },
  { line: "True ", since: 0, ready: false },
];

for (const { line, since, ready } of cases) {
  test(`isReadySince() of "${line}" since ${since} is ${ready}`, () => {
    assert.equal(isReadySince(line, since), ready);
  });
}
