import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { SharedRuns } from "./shared-runs.ts";

test("SharedRuns share the run that begins after the call, per key", async () => {
  const runs = new SharedRuns();
  const gates: PromiseWithResolvers<void>[] = [];
  const begun: string[] = [];
  const start = (key: string) =>
    runs.run(key, async () => {
      begun.push(key);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
    });
  const first = [start("a"), start("a"), start("b")];
  await nextTurn();
  assert.deepEqual(begun, ["a", "b"]);
  const second = [start("a"), start("a")];
  await nextTurn();
  assert.deepEqual(begun, ["a", "b"]);
  gates[0]?.reject(new Error("failed"));
  assert.deepEqual(
    (await Promise.allSettled(first.slice(0, 2))).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  await nextTurn();
  assert.deepEqual(begun, ["a", "b", "a"]);
  gates[1]?.resolve();
  gates[2]?.resolve();
  await Promise.all([first[2], ...second]);
});
