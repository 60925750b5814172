import assert from "node:assert/strict";
import { test } from "node:test";
import { pods } from "#/api/core/v1.ts";
import { runSteps } from "#/std/base/steps.ts";
import { schemaOf } from "../schema/kinds.ts";
import { type Comparison, ConstantMember, compareObjects, compareSteps } from "./compare.ts";
import { fieldTypeOf } from "./field-type.ts";
import { encodeFields } from "./fields-v1.ts";

const spec = { containers: [{ name: "a", image: "x" }], nodeName: "n" };
const next = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };

const lives: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["nothing", {}],
  ["nothing, again", {}],
  ["an object without the member", { metadata: { name: "p" } }],
  ["an empty member", { spec: {} }],
  ["another value", { spec: { containers: [{ name: "b", image: "y" }], nodeName: "n" } }],
  ["null", { spec: null }],
  ["the very same value", { spec }],
];

function assertSame(found: Comparison, expected: Comparison): void {
  for (const set of ["removed", "modified", "added"] as const) {
    assert.deepEqual(encodeFields(found[set]), encodeFields(expected[set]));
  }
}

for (const structured of [true, false]) {
  const type = fieldTypeOf(schemaOf(pods), { structured });
  const constant = new ConstantMember(spec);
  for (const [title, live] of lives) {
    test(`compareObjects gives the same result with a constant member as without it (${structured ? "structured" : "plain"}): ${title}`, () => {
      const found = compareObjects(type, live, next, constant);
      const expected = compareObjects(type, live, next);
      assertSame(found, expected);
    });
    test(`compareSteps() gives the result of compareObjects() (${structured ? "structured" : "plain"}): ${title}`, () => {
      for (const [left, right] of [
        [live, next],
        [next, live],
      ] as const) {
        assertSame(runSteps(compareSteps(type, left, right)), compareObjects(type, left, right));
        const given = runSteps(compareSteps(type, left, right, constant));
        assertSame(given, compareObjects(type, left, right, constant));
      }
    });
  }
}

test("compareSteps() gives the result of compareObjects() for maps of very many keys", () => {
  const type = fieldTypeOf(schemaOf(pods), { structured: true });
  const labels = (from: number, to: number, value: string) => {
    const indices = Array.from({ length: to - from }, (_, index) => from + index);
    return Object.fromEntries(indices.map((index) => [`k${index}`, value]));
  };
  const before = {
    metadata: { labels: { ...labels(0, 9_000, "a"), ...labels(9_000, 20_000, "b") } },
  };
  const after = { metadata: { labels: labels(5_000, 30_000, "b") } };
  const steps = compareSteps(type, before, after);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  assert.ok(pauses > 3, `${pauses} pauses`);
  assertSame(step.value, compareObjects(type, before, after));
  for (const [left, right] of [
    [{ metadata: {} }, before],
    [before, { metadata: {} }],
  ] as const) {
    const oneSided = compareSteps(type, left, right);
    for (let count = 0; count < 3; count++) assert.equal(oneSided.next().done, false);
    assertSame(runSteps(oneSided), compareObjects(type, left, right));
  }
});
