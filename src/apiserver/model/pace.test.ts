import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./pace.ts";

const work = { workKind: "request", describeWork: () => ({}) };
const large = 1024 * 1024;

test("Pace.rest() ends a request whose time is over, or whose client has gone, with 504", async () => {
  const client = new AbortController();
  const exchange: { signal: AbortSignal; isTimedOut?: boolean } = { signal: client.signal };
  const pace = new Pace(work, "alice", exchange);
  await pace.begin(large, "parse");
  await pace.rest("decode");
  exchange.isTimedOut = true;
  await assert.rejects(async () => pace.rest("validation"), { code: 504 });
  exchange.isTimedOut = false;
  await pace.rest("validation");
  client.abort();
  await assert.rejects(async () => pace.rest("encoding"), { code: 504 });
});

test("Pace.rest() of a small request never waits, nor ends it", async () => {
  const pace = new Pace(work, "alice", { signal: AbortSignal.abort(), isTimedOut: true });
  await pace.rest("validation");
  assert.equal(pace.isLarge, false);
});
