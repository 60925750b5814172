import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type LongTurn, TurnWatch, type Work } from "./measure-turns.ts";

const work = (name: string): Work => ({ workKind: name, describeWork: () => ({ name }) });

/** A watch whose turns the test ends. */
function watchTurns() {
  const clock = new FakeClock();
  const seen: LongTurn[] = [];
  const ends: (() => void)[] = [];
  const watch = new TurnWatch(
    (turn) => seen.push(turn),
    () => clock.monotonicMs(),
    (run) => ends.push(run),
  );
  const pass = (ms: number) => clock.advance(ms);
  const endTurn = () => {
    for (const end of ends.splice(0)) end();
  };
  return { watch, seen, pass, endTurn };
}

test("TurnWatch reports a long turn with its longest piece", async () => {
  const { watch, seen, pass, endTurn } = watchTurns();
  watch.enter(work("small"));
  await pass(10);
  watch.enter(work("large"), "decode");
  await pass(70);
  watch.enter(work("small"));
  await pass(1);
  endTurn();
  assert.equal(seen.length, 1);
  const [{ turnMs, pieces, pieceMs, phase, work: found }] = seen as [LongTurn];
  assert.deepEqual(
    { turnMs, pieces, pieceMs, phase, kind: found.workKind },
    { turnMs: 81, pieces: 3, pieceMs: 70, phase: "decode", kind: "large" },
  );
});

test("TurnWatch does not count time between turns", async () => {
  const { watch, seen, pass, endTurn } = watchTurns();
  for (let turn = 0; turn < 3; turn++) {
    watch.enter(work("small"));
    await pass(40);
    endTurn();
    await pass(1_000);
  }
  assert.deepEqual(seen, []);
});
