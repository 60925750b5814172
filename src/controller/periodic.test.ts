import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps } from "#/api/core/v1.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { periodic } from "./periodic.ts";
import { runControllers } from "./run-controllers.ts";

test("periodic() runs at each interval, also after a failure", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock();
  const runs: number[] = [];
  const stop = new AbortController();
  const looking = periodic({
    name: "looking-controller",
    everyMs: 1000,
    reads: [configMaps],
    async run({ informers }) {
      assert.equal(informers.informer(configMaps).store.size, 0);
      runs.push(clock.monotonicMs());
      if (runs.length === 1) throw new Error("no luck");
    },
  });
  const context = { client: api.client(), options: undefined, clock };
  const running = runControllers([looking], context, stop.signal);
  while (runs.length === 0) await nextTurn();
  await clock.advance(2500);
  assert.deepEqual(runs, [0, 1000, 2000]);
  stop.abort();
  await running;
});
