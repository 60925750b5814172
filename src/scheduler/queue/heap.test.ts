import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Heap } from "./heap.ts";

interface Item {
  readonly key: string;
  readonly rank: number;
}

const open = (): Heap<Item> =>
  new Heap(
    ({ key }) => key,
    (a, b) => a.rank < b.rank,
  );

test("Heap pops in order whatever was set, replaced and deleted before", () => {
  const change = fc.record({
    key: fc.integer({ min: 0, max: 20 }).map(String),
    rank: fc.option(fc.integer({ min: 0, max: 100 })),
  });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const heap = open();
      const model = new Map<string, number>();
      for (const { key, rank } of changes) {
        if (rank === null) {
          assert.equal(heap.delete(key)?.rank, model.get(key));
          model.delete(key);
        } else {
          heap.set({ key, rank });
          model.set(key, rank);
        }
        assert.equal(heap.size, model.size);
      }
      const popped: number[] = [];
      for (let item = heap.pop(); item; item = heap.pop()) popped.push(item.rank);
      assert.deepEqual(
        popped,
        [...model.values()].sort((a, b) => a - b),
      );
    }),
  );
});

test("Heap finds items by key", () => {
  const heap = open();
  heap.set({ key: "a", rank: 2 });
  heap.set({ key: "b", rank: 1 });
  assert.equal(heap.get("a")?.rank, 2);
  assert.equal(heap.peek()?.key, "b");
  assert.equal(heap.get("c"), undefined);
});
