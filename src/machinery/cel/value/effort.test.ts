import assert from "node:assert/strict";
import { test } from "node:test";
import { CostLimitExceeded } from "./cel-fault.ts";
import { spendEffort, withEffort } from "./effort.ts";

test("withEffort() stops work above the limit", () => {
  assert.throws(() => withEffort(() => spendEffort(11), 10), CostLimitExceeded);
  assert.equal(
    withEffort(() => {
      spendEffort(10);
      return "done";
    }, 10),
    "done",
  );
});

test("withEffort() counts nested work separately", () => {
  withEffort(() => {
    spendEffort(8);
    withEffort(() => spendEffort(10), 10);
    spendEffort(2);
    assert.throws(() => spendEffort(1), CostLimitExceeded);
  }, 10);
});

test("spendEffort() is free outside of an evaluation", () => {
  assert.doesNotThrow(() => spendEffort(1e12));
});
