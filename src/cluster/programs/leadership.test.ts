import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import type { Connect } from "../parts/part.ts";
import { Leadership } from "./leadership.ts";

const connect = {} as Connect;

/** A leadership whose terms a test begins and ends. */
function controlled() {
  let begin = Promise.withResolvers<AbortController>();
  const leadership = new Leadership(async (task, signal) => {
    const term = await begin.promise;
    begin = Promise.withResolvers();
    await task(AbortSignal.any([signal, term.signal]), connect);
    throw new Error("leadership lost");
  });
  const start = (): AbortController => {
    const term = new AbortController();
    begin.resolve(term);
    return term;
  };
  return { leadership, start };
}

/** A task that records its beginnings and ends. */
const recording =
  (log: string[], endsAfter?: Promise<void>) =>
  async (signal: AbortSignal): Promise<void> => {
    log.push("begins");
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await endsAfter;
    log.push("ends");
  };

test("whileLeading() runs a task in each term, and a term ends with its tasks", async () => {
  const { leadership, start } = controlled();
  const stop = new AbortController();
  const slow = Promise.withResolvers<void>();
  const log: string[] = [];
  const running = leadership.whileLeading(recording(log, slow.promise), stop.signal);
  await nextTurn();
  assert.deepEqual(log, []);
  let election = leadership.component.run(stop.signal);
  let hasEnded = false;
  const lost = assert.rejects(election, /leadership lost/).then(() => {
    hasEnded = true;
  });
  const first = start();
  await nextTurn();
  assert.deepEqual(log, ["begins"]);
  first.abort();
  await nextTurn();
  assert.equal(hasEnded, false, "the next leader would begin too early");
  slow.resolve();
  await lost;
  assert.deepEqual(log, ["begins", "ends"]);
  election = leadership.component.run(stop.signal);
  start();
  await nextTurn();
  assert.deepEqual(log, ["begins", "ends", "begins"]);
  stop.abort(new Error("enough"));
  await assert.rejects(election, /lost/);
  await assert.rejects(running, /enough/);
});

test("whileLeading() rejects when the task fails", async () => {
  const { leadership, start } = controlled();
  const stop = new AbortController();
  const election = leadership.component.run(stop.signal);
  start();
  const failing = leadership.whileLeading(async () => {
    throw new Error("broken");
  }, stop.signal);
  await assert.rejects(failing, /broken/);
  stop.abort();
  await assert.rejects(election, /lost/);
});
