import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/std/fake-clock.ts";
import { afterGrace, startHooks } from "./start-hooks.ts";

test("startHooks() fail until all is started", () => {
  let started = false;
  const hooks = startHooks(
    { elections: true, priorityAndFairness: true, peers: false },
    () => started,
  );
  const [first] = hooks;
  assert.equal(first?.name, "poststarthook/start-apiserver-admission-initializer");
  assert.throws(() => first?.check(), new Error("not finished"));
  started = true;
  for (const hook of hooks) hook.check();
});

test("startHooks() are those of the filters that flags choose", () => {
  const names = (priorityAndFairness: boolean) =>
    new Set(
      startHooks({ elections: false, priorityAndFairness, peers: true }, () => true).map(
        ({ name }) => name,
      ),
    );
  assert.deepEqual(
    [...names(false).difference(names(true))],
    ["poststarthook/max-in-flight-filter"],
  );
});

test("afterGrace() lets a check fail only once its time is over", async () => {
  const clock = new FakeClock();
  const failing = {
    name: "x",
    check: () => {
      throw new Error("not finished");
    },
  };
  const check = afterGrace(failing, clock, 1_000);
  await check.check();
  await clock.advance(1_000);
  await assert.rejects(async () => check.check(), new Error("not finished"));
});
