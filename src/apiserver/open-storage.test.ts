import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { freePort } from "#/testing/free-port.ts";
import { apiServerFlags } from "./flags/index.ts";
import { openStorage } from "./open-storage.ts";
import { untilServing } from "./until-serving.ts";

const never = new AbortController().signal;

/** A store that responds from the nth call on. */
function storeFrom(answering: number) {
  let asked = 0;
  return {
    health: async () => {
      if (++asked < answering) throw new Error(`not yet ${asked}`);
    },
  };
}

test("untilServing() waits for a store that starts late", async () => {
  const clock = new FakeClock();
  let served = false;
  const waiting = untilServing(storeFrom(3), clock, 60_000, never).then(() => {
    served = true;
  });
  await clock.advance(500);
  assert.equal(served, false);
  await clock.advance(500);
  await waiting;
});

test("untilServing() rejects after its time limit, with the reason", async () => {
  const clock = new FakeClock();
  const waiting = untilServing(storeFrom(100), clock, 1_000, never);
  const refused = assert.rejects(waiting, new Error("not yet 3"));
  await clock.advance(1_000);
  await refused;
});

test("openStorage() stops on abort while it waits for etcd, and leaves no connection open", async () => {
  const port = await freePort();
  const args = [`--etcd-servers=http://127.0.0.1:${port}`, "--storage-initialization-timeout=1h"];
  const { values } = parseFlags(apiServerFlags, args);
  const clock = new FakeClock();
  const stop = new AbortController();
  const reason = new Error("enough");
  const refused = assert.rejects(openStorage(values, clock, stop.signal), reason);
  stop.abort(reason);
  await refused;
  assert.equal(clock.pendingTimers, 0);
});
