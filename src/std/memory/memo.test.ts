import assert from "node:assert/strict";
import { test } from "node:test";
import { memoByIdentities, memoByIdentity, memoByKey } from "./memo.ts";

test("memoByIdentity computes once for each object, also for equal objects", () => {
  const seen: object[] = [];
  const count = memoByIdentity((key: object) => seen.push(key));
  const [first, second] = [{}, {}];
  assert.deepEqual([count(first), count(second), count(first), count(second)], [1, 2, 1, 2]);
});

test("memoByIdentity caches an undefined result", () => {
  let computed = 0;
  const nothing = memoByIdentity((_key: object): string | undefined => {
    computed++;
    return undefined;
  });
  const key = {};
  assert.deepEqual([nothing(key), nothing(key), computed], [undefined, undefined, 1]);
});

test("memoByIdentity does not cache an error", () => {
  let attempts = 0;
  const second = memoByIdentity((_key: object) => {
    if (++attempts === 1) throw new Error("first");
    return attempts;
  });
  const key = {};
  assert.throws(() => second(key), /first/);
  assert.equal(second(key), 2);
});

test("memoByIdentity identifies arguments by options.identity", () => {
  let computed = 0;
  const ofPart = memoByIdentity((_key: { readonly part: object }) => ++computed, {
    identity: ({ part }) => part,
  });
  const part = {};
  assert.deepEqual([ofPart({ part }), ofPart({ part }), ofPart({ part: {} })], [1, 1, 2]);
});

interface Link {
  next?: Link;
}

test("memoByIdentity uses options.meanwhile for recursive definitions", () => {
  const depth: (link: Link) => () => number = memoByIdentity(
    ({ next }: Link): (() => number) => {
      const further = next && depth(next);
      return () => (further === undefined ? 0 : 1);
    },
    { meanwhile: (link) => () => depth(link)() },
  );
  const link: Link = {};
  link.next = link;
  assert.equal(depth(link)(), 1);
});

test("memoByIdentities computes once for each pair", () => {
  let computed = 0;
  const count = memoByIdentities((_first: object, _second: object) => ++computed);
  const [a, b] = [{}, {}];
  assert.deepEqual([count(a, b), count(a, b), count(b, a), count(a, a)], [1, 1, 2, 3]);
});

test("memoByKey computes once for each key, and drops the oldest above its limit", () => {
  let computed = 0;
  const count = memoByKey((_key: string) => ++computed, 2);
  assert.deepEqual([count("a"), count("b"), count("a")], [1, 2, 1]);
  assert.deepEqual([count("c"), count("b"), count("a")], [3, 2, 4]);
});
