import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { callInProcess, collectBody } from "../http/in-process.ts";
import { Paths } from "../http/paths.ts";
import { type Handler, textReply } from "../model/exchange.ts";
import { parseRequestInfo } from "../model/request-info.ts";
import { addFairnessDumps } from "./dump-paths.ts";
import { Fairness } from "./fairness.ts";

const queuing = { queues: 1, handSize: 1, queueLengthLimit: 10 };
const small = {
  metadata: { name: "small" },
  spec: {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: 1,
      borrowingLimitPercent: 0,
      limitResponse: { type: "Queue", queuing },
    },
  },
};

test("addFairnessDumps() shows running and waiting requests", async () => {
  const clock = new FakeClock("2026-11-16T09:08:51Z");
  const fairness = new Fairness({ clock, totalSeats: 2, waitMs: 1_000 });
  fairness.configure([], [small]);
  const level = [...fairness.levels].find(({ name }) => name === "small");
  assert.ok(level);
  while (level.tryStart(1)) assert.ok(level.executing < 10);
  const query = new URLSearchParams();
  const info = parseRequestInfo({ method: "GET", path: "/api/v1/namespaces/a/pods/b", query });
  const who = { schema: "s", distinguisher: "bob", user: "bob", info };
  const waiting = level.wait(
    1,
    () => who,
    () => new AbortController().signal,
  );
  const paths = new Paths();
  addFairnessDumps(paths, fairness);
  const ask = async (name: string) => {
    const handler: Handler = async (exchange) =>
      (await paths.find(exchange.path)?.(exchange)) ?? textReply(404, "");
    const url = `/debug/api_priority_and_fairness/${name}`;
    const reply = await callInProcess(handler, { method: "GET", url });
    return (await collectBody(reply)).toString().split("\n");
  };
  const { executing } = level;
  // The layout is that of kube-apiserver v1.37.1.
  assert.deepEqual((await ask("dump_priority_levels")).slice(0, 4), [
    "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests",
    "catch-all,         0,            true,   false,       0,               0,                 0,                  0,                0,                0",
    "exempt,            0,            true,   false,       0,               0,                 0,                  0,                0,                0",
    `small,             1,            false,  false,       1,               ${executing},                 ${executing},                  0,                0,                0`,
  ]);
  assert.deepEqual(await ask("dump_queues"), [
    "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum",
    "small,             0,      1,               0,                 0,          0.00000000ss,  1,               1,           0.00000000ss",
    "",
  ]);
  const [, request] = await ask("dump_requests?includeRequestDetails=1");
  assert.deepEqual(request?.split(/, */), [
    ...["small", "s", "0", "0", "bob", "2026-11-16T09:08:51.000Z", "1", "0", "0s"],
    ...["0001-01-01T00:00:00Z", "bob", "get", "/api/v1/namespaces/a/pods/b", "a", "b", "v1"],
    ...["pods", ""],
  ]);
  await clock.advance(1_000);
  assert.equal(await waiting, "time-out");
  assert.equal(level.refused["time-out"], 1);
});
