import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taint, Toleration } from "#/api/core/v1.ts";
import { findUntoleratedTaint, sameToleration, toleratesTaint } from "./tolerations.ts";

const taint: Taint = { key: "disk", value: "5", effect: "NoSchedule" };

test("toleratesTaint() matches key, value and effect", () => {
  const cases: [Toleration, boolean][] = [
    [{}, false],
    [{ operator: "Exists" }, true],
    [{ key: "disk", operator: "Exists" }, true],
    [{ key: "disk", value: "5" }, true],
    [{ key: "disk", operator: "Equal", value: "5" }, true],
    [{ key: "disk", operator: "Equal", value: "6" }, false],
    [{ key: "cpu", operator: "Exists" }, false],
    [{ operator: "Exists", effect: "NoSchedule" }, true],
    [{ operator: "Exists", effect: "NoExecute" }, false],
    [{ value: "5" }, true],
  ];
  for (const [toleration, expected] of cases) {
    assert.equal(toleratesTaint(toleration, taint), expected, JSON.stringify(toleration));
  }
});

test("toleratesTaint() compares numbers if the option is enabled", () => {
  const cases: [Toleration, boolean][] = [
    [{ key: "disk", operator: "Gt", value: "4" }, true],
    [{ key: "disk", operator: "Gt", value: "5" }, false],
    [{ key: "disk", operator: "Lt", value: "6" }, true],
    [{ key: "disk", operator: "Lt", value: "-6" }, false],
    [{ key: "disk", operator: "Gt", value: "04" }, false],
    [{ key: "disk", operator: "Gt", value: "x" }, false],
    [{ key: "disk", operator: "Gt" }, false],
  ];
  for (const [toleration, expected] of cases) {
    assert.equal(toleratesTaint(toleration, taint), false);
    assert.equal(toleratesTaint(toleration, taint, { comparisonOperators: true }), expected);
  }
});

test("findUntoleratedTaint() returns the first that the filter includes", () => {
  const soft: Taint = { key: "soft", effect: "PreferNoSchedule" };
  const filter = ({ effect }: Taint) => effect !== "PreferNoSchedule";
  assert.equal(findUntoleratedTaint([soft, taint], []), soft);
  assert.equal(findUntoleratedTaint([soft, taint], [], { filter }), taint);
  assert.equal(findUntoleratedTaint([soft, taint], [{ operator: "Exists" }]), undefined);
  assert.equal(findUntoleratedTaint(undefined, undefined), undefined);
});

test("sameToleration() compares everything but the seconds", () => {
  assert.ok(sameToleration({ key: "a" }, { key: "a", tolerationSeconds: 5 }));
  assert.ok(!sameToleration({ key: "a" }, { key: "a", operator: "Exists" }));
});
