import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Deadlines } from "./deadlines.ts";

test("Deadlines expire once, unless they are extended or disposed", async () => {
  const clock = new FakeClock();
  using deadlines = new Deadlines(clock);
  const expired: string[] = [];
  const begin = (name: string) => deadlines.begin(5_000, () => void expired.push(name));
  begin("first");
  begin("ended")[Symbol.dispose]();
  const late = begin("late");
  await clock.advance(4_000);
  late.extend(5_000);
  assert.deepEqual(expired, []);
  await clock.advance(2_000);
  assert.deepEqual(expired, ["first"]);
  await clock.advance(10_000);
  assert.deepEqual(expired, ["first", "late"]);
});
