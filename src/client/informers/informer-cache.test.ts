import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { InformerCache } from "./informer-cache.ts";

interface Thing {
  metadata: { name: string; uid: string; resourceVersion: string };
}
const thing = (name: string, resourceVersion: number, uid = name): Thing => ({
  metadata: { name, uid, resourceVersion: String(resourceVersion) },
});
const show = ({ metadata }: Thing): string => `${metadata.name}@${metadata.resourceVersion}`;

/** A cache, and the calls of its handlers. */
function observed(): { cache: InformerCache<Thing>; calls: () => string[] } {
  const cache = new InformerCache<Thing>({});
  let lines: string[] = [];
  cache.subscribe({
    added: (object, initial) => lines.push(`${initial ? "initial" : "added"} ${show(object)}`),
    updated: (old, now) => lines.push(`${show(old)} -> ${show(now)}`),
    deleted: (last) => lines.push(`deleted ${show(last)}`),
  });
  const calls = () => {
    const all = lines;
    lines = [];
    return all;
  };
  return { cache, calls };
}

const contents = ({ store }: InformerCache<Thing>): string[] => store.list().map(show).sort();

test("InformerCache.replace() reports only differences", () => {
  const { cache, calls } = observed();
  cache.replace([thing("a", 1), thing("b", 2)], "5");
  assert.deepEqual(calls(), ["initial a@1", "initial b@2"]);
  cache.replace([thing("a", 1), thing("c", 7)], "9");
  assert.deepEqual(calls(), ["added c@7", "deleted b@2"]);
  cache.replace([thing("a", 8)], "12");
  assert.deepEqual(calls(), ["a@1 -> a@8", "deleted c@7"]);
});

test("InformerCache never goes back to an older version of an object", () => {
  const { cache, calls } = observed();
  cache.replace([thing("a", 5)], "5");
  cache.change({ type: "MODIFIED", object: thing("a", 4) });
  cache.change({ type: "MODIFIED", object: thing("a", 5) });
  assert.deepEqual([...contents(cache), ...calls()], ["a@5", "initial a@5"]);
});

test("InformerCache shows a write at once, and ignores the watch's event of it", () => {
  const { cache, calls } = observed();
  cache.replace([], "5");
  cache.written(thing("a", 7));
  assert.deepEqual(calls(), ["added a@7"]);
  cache.change({ type: "ADDED", object: thing("b", 6) });
  cache.change({ type: "ADDED", object: thing("a", 7) });
  assert.deepEqual(calls(), ["added b@6"]);
  cache.change({ type: "DELETED", object: thing("a", 8) });
  assert.deepEqual(calls(), ["deleted a@7"]);
});

test("InformerCache ignores the response to a write if the watch has a newer version", () => {
  const { cache } = observed();
  cache.replace([], "5");
  cache.change({ type: "ADDED", object: thing("a", 7) });
  cache.change({ type: "DELETED", object: thing("a", 8) });
  cache.written(thing("a", 7));
  assert.deepEqual(contents(cache), []);
});

test("InformerCache keeps objects that were written after a list", () => {
  const { cache, calls } = observed();
  cache.replace([thing("b", 1)], "5");
  cache.written(thing("a", 9));
  cache.written(thing("b", 10));
  calls();
  cache.replace([thing("b", 6)], "8");
  assert.deepEqual([...contents(cache), ...calls()], ["a@9", "b@10"]);
  cache.replace([], "11");
  assert.deepEqual(calls(), ["deleted b@10", "deleted a@9"]);
});

test("InformerCache removes a deleted object at once and permanently", () => {
  const { cache, calls } = observed();
  cache.replace([thing("a", 1)], "5");
  cache.deleted("a", "a");
  assert.deepEqual(calls(), ["initial a@1", "deleted a@1"]);
  cache.change({ type: "MODIFIED", object: thing("a", 6) });
  cache.change({ type: "DELETED", object: thing("a", 7) });
  assert.deepEqual(calls(), []);
  cache.change({ type: "ADDED", object: thing("a", 8, "another") });
  assert.deepEqual(calls(), ["added a@8"]);
});

test("InformerCache keeps an object that replaced a deleted one", () => {
  const { cache } = observed();
  cache.replace([thing("a", 1)], "5");
  cache.written(thing("a", 9, "another"));
  cache.change({ type: "DELETED", object: thing("a", 8) });
  assert.deepEqual(contents(cache), ["a@9"]);
});

test("InformerCache follows a server that was restored to an earlier state", () => {
  const { cache, calls } = observed();
  cache.replace([thing("a", 50), thing("b", 60)], "60");
  cache.written(thing("c", 70));
  calls();
  cache.replace([thing("a", 20)], "30");
  assert.deepEqual(contents(cache), ["a@20"]);
});

test("InformerCache.subscribe() reports existing objects first, and ends when disposed", () => {
  const { cache } = observed();
  cache.replace([thing("a", 1)], "5");
  const seen: string[] = [];
  {
    using _subscription = cache.subscribe({ added: (object) => seen.push(show(object)) });
    cache.change({ type: "ADDED", object: thing("b", 6) });
  }
  cache.change({ type: "ADDED", object: thing("c", 7) });
  assert.deepEqual(seen, ["a@1", "b@6"]);
});

/** Takes about a millisecond of the processor. */
function compute(): void {
  const startMs = systemClock.monotonicMs();
  while (systemClock.monotonicMs() - startMs < 1);
}

test("InformerCache delivers many objects in slices, and later changes after them", async () => {
  const cache = new InformerCache<Thing>({});
  const lines: string[] = [];
  cache.subscribe({
    added(object) {
      compute();
      lines.push(show(object));
    },
    updated: (_, now) => lines.push(show(now)),
  });
  const things = Array.from({ length: 100 }, (_, index) => thing(`t${index}`, 1));
  const replaced = cache.replace(things, "5");
  // The store is filled in slices, too.
  while (lines.length === 0) await nextTurn();
  assert.ok(lines.length < things.length, "all were delivered in one turn");
  cache.change({ type: "MODIFIED", object: thing("t99", 6) });
  const late: string[] = [];
  cache.subscribe({ added: (object) => late.push(show(object)) });
  await replaced;
  assert.deepEqual(lines, [...things.map(show), "t99@6"]);
  assert.equal(late.length, 100, "a later subscriber gets each object once");
  assert.ok(late.includes("t99@6"));
});
