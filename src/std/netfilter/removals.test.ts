import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { removalsOf } from "./removals.ts";

/** Collects removals, and resolves when there is this number of them. */
function collect(count: number) {
  const lines: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = (line: string): void => {
    if (lines.push(line) === count) resolve();
  };
  return { lines, listener, complete: promise };
}

test("removalsOf() reports removals to all listeners, and that some were lost", async () => {
  const script =
    "echo 'add table ip x'; echo 'delete table ip x'; echo '# new generation 2'; echo '# ERROR: We lost some netlink events!'; exec sleep 60";
  const follow = removalsOf([["sh", "-c", script]]);
  const first = collect(2);
  const second = collect(2);
  using _first = follow(first.listener);
  using _second = follow(second.listener);
  await Promise.all([first.complete, second.complete]);
  for (const { lines } of [first, second]) assert.deepEqual(lines, ["delete table ip x", ""]);
});

test("removalsOf() starts its program again, and reports possible losses", async () => {
  const clock = new FakeClock();
  const follow = removalsOf([["sh", "-c", "echo 'delete table ip x'"]], clock);
  const { lines, listener, complete } = collect(3);
  using _following = follow(listener);
  let isComplete = false;
  void complete.then(() => (isComplete = true));
  while (!isComplete) {
    await new Promise(setImmediate);
    await clock.advance(100);
  }
  assert.deepEqual(lines.slice(0, 3), ["delete table ip x", "", "delete table ip x"]);
});

test("removalsOf() works without the program", async () => {
  const follow = removalsOf([["no-such-program"]]);
  using _following = follow(() => assert.fail("nothing is reported"));
  await new Promise(setImmediate);
});

test("removalsOf() uses the next command if the first is not supported", async () => {
  const clock = new FakeClock();
  const follow = removalsOf(
    [["false"], ["sh", "-c", "echo 'delete table ip x'; exec sleep 60"]],
    clock,
  );
  const { lines, listener, complete } = collect(2);
  using _following = follow(listener);
  let isComplete = false;
  void complete.then(() => (isComplete = true));
  while (!isComplete) {
    await new Promise(setImmediate);
    await clock.advance(100);
  }
  assert.deepEqual(lines, ["", "delete table ip x"]);
});
