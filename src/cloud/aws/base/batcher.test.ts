import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Batcher } from "./batcher.ts";

function start(maxItems = 10) {
  const clock = new FakeClock();
  const batches: string[] = [];
  const batcher = new Batcher<string, string>({
    clock,
    maxItems,
    key: (item) => item[0] ?? "",
    async execute(items) {
      batches.push(items.join(" "));
      if (items.includes("a-throws")) throw new Error("refused");
      return items.map((item) =>
        item.endsWith("bad")
          ? { status: "rejected", reason: new Error(`${item} refused`) }
          : { status: "fulfilled", value: `${item} done` },
      );
    },
  });
  return { clock, batches, batcher };
}

test("Batcher sends items with the same key together when none came for 100 ms", async () => {
  const { clock, batches, batcher } = start();
  const results = Promise.all([batcher.add("a1"), batcher.add("b1"), batcher.add("a2")]);
  await clock.advance(99);
  assert.deepEqual(batches, []);
  await clock.advance(1);
  assert.deepEqual(batches, ["a1 a2", "b1"]);
  assert.deepEqual(await results, ["a1 done", "b1 done", "a2 done"]);
});

test("Batcher sends after a second though items keep coming", async () => {
  const { clock, batches, batcher } = start(1000);
  for (let item = 0; item < 12; item++) {
    void batcher.add(`a${item}`);
    await clock.advance(90);
  }
  assert.equal(batches[0]?.split(" ").length, 12);
  assert.equal(batches.length, 1);
});

test("Batcher sends at once when it is full", async () => {
  const { batches, batcher, clock } = start(2);
  assert.deepEqual(await Promise.all([batcher.add("a1"), batcher.add("a2")]), [
    "a1 done",
    "a2 done",
  ]);
  assert.deepEqual(batches, ["a1 a2"]);
  assert.equal(clock.pendingTimers, 0);
});

test("Batcher rejects each item with its own error, all if the call failed", async () => {
  const { batcher, clock } = start();
  const settled = Promise.allSettled(
    ["b-bad", "b1", "a-throws", "a1"].map((each) => batcher.add(each)),
  );
  await clock.advance(100);
  const messages = (await settled).map((each) =>
    each.status === "fulfilled" ? each.value : each.reason.message,
  );
  assert.deepEqual(messages, ["b-bad refused", "b1 done", "refused", "refused"]);
});
