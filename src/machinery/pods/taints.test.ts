import assert from "node:assert/strict";
import { test } from "node:test";
import type { Taint } from "#/api/core/v1.ts";
import { formatTaint, parseTaints, sameTaint, withTaint } from "./taints.ts";

const disk: Taint = { key: "disk", value: "slow", effect: "NoSchedule" };
const fire: Taint = { key: "fire", effect: "NoExecute" };

test("sameTaint() compares key and effect", () => {
  assert.ok(sameTaint({ ...disk, value: "fast" }, disk));
  assert.ok(!sameTaint(disk, { ...disk, effect: "NoExecute" }));
  assert.equal(formatTaint(disk), "disk=slow:NoSchedule");
  assert.equal(formatTaint(fire), "fire:NoExecute");
});

test("withTaint() adds, replaces, or returns the same list", () => {
  const list = [disk];
  assert.deepEqual(withTaint(undefined, disk), [disk]);
  assert.deepEqual(withTaint(list, fire), [disk, fire]);
  assert.deepEqual(withTaint(list, { ...disk, value: "fast" }), [{ ...disk, value: "fast" }]);
  assert.equal(withTaint(list, { ...disk }), list);
});

test("parseTaints() reads the syntax of commands", () => {
  assert.deepEqual(parseTaints(["disk=slow:NoSchedule", "fire:NoExecute", "a-", "b:NoSchedule-"]), {
    add: [disk, fire],
    remove: [
      { key: "a", effect: undefined },
      { key: "b", effect: "NoSchedule" },
    ],
  });
});

test("parseTaints() fails with upstream's messages", () => {
  const cases: [string[], string][] = [
    [["a"], "invalid taint spec: a"],
    [["a=b"], "invalid taint spec: a=b, name part must consist"],
    [["a:b:c"], "invalid taint spec: a:b:c"],
    [["a=b=c:NoSchedule"], "invalid taint spec: a=b=c:NoSchedule"],
    [["a:Never"], "invalid taint effect: Never, unsupported taint effect"],
    [["a=-:NoSchedule"], "invalid taint spec: a=-:NoSchedule, a valid label must be"],
    [
      ["a:NoSchedule", "a=x:NoSchedule"],
      "duplicated taints with the same key and effect: {a x NoSchedule <nil>}",
    ],
  ];
  for (const [specs, message] of cases) {
    assert.throws(
      () => parseTaints(specs),
      (error: Error) => error.name === "TaintError" && error.message.startsWith(message),
      specs.join(),
    );
  }
});
