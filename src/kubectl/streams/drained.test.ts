import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { drained } from "./drained.ts";

test("drained() leaves no listener behind, however often a stream is full", async () => {
  const stop = new AbortController();
  const to = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void nextTurn().then(() => done()),
  });
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  for (let i = 0; i < 30; i++) {
    to.write("xx");
    await drained(to, stop.signal);
  }
  await nextTurn();
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
  const counts = ["drain", "close", "error"].map((event) => to.listenerCount(event));
  assert.deepEqual(counts, [0, 0, 0]);
});
