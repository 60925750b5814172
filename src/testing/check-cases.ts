import assert from "node:assert/strict";
import { test } from "node:test";

/** A test for each case of a pure function: what it is given, and what it returns. */
export function checkCases<In, Out>(
  name: string,
  of: (given: In) => Out,
  cases: readonly (readonly [given: In, expected: Out])[],
): void {
  for (const [given, expected] of cases) {
    test(`${name}(${JSON.stringify(given)})`, () => assert.deepEqual(of(given), expected));
  }
}
