import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { longTurnLog } from "./long-turn-log.ts";

test("longTurnLog() writes at most one line per second and counts the others", async () => {
  const clock = new FakeClock();
  const lines: unknown[] = [];
  const report = longTurnLog({ warning: (_, fields) => lines.push(fields) }, clock);
  const work = { workKind: "request", describeWork: () => ({ method: "POST", path: "/a" }) };
  const turn = { turnMs: 80.4, pieces: 1, work, phase: "decode", pieceMs: 80.4 };
  report(turn);
  report(turn);
  report({ ...turn, pieces: 2 });
  await clock.advance(1_000);
  report({ ...turn, pieces: 2, phase: "" });
  const request = { turnMs: 80, work: "request", method: "POST", path: "/a" };
  assert.deepEqual(lines, [
    { ...request, phase: "decode" },
    { ...request, pieces: 2, pieceMs: 80, unlogged: 2 },
  ]);
});
