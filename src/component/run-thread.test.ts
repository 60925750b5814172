import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runThread } from "./run-thread.ts";

const thread = (code: string): URL => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const answering = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", (message) => message === "stop" ? parentPort.close() : parentPort.postMessage(1));`;

const run = (code: string, signal: AbortSignal, clock = new FakeClock()): Promise<void> =>
  runThread(thread(code), { name: "x", args: [], heapMib: 32, clock }, signal);

test("runThread() ends when the signal aborts", async () => {
  const stop = new AbortController();
  const running = run(answering, stop.signal);
  stop.abort();
  await running;
});

test("runThread() fails with its thread", async () => {
  const { signal } = new AbortController();
  await assert.rejects(run("throw new Error('broken')", signal), { message: "broken" });
  const code = "process.exit(3)";
  await assert.rejects(run(code, signal), { message: "the thread of x ended with 3" });
  const grow = "const all = []; for (;;) all.push(new Array(1e5).fill(all.length));";
  await assert.rejects(run(grow, signal), { code: "ERR_WORKER_OUT_OF_MEMORY" });
});

test("runThread() ends a thread that hangs", async () => {
  const clock = new FakeClock();
  const running = run("for (;;);", new AbortController().signal, clock);
  const failed = assert.rejects(running, { message: "the thread of x does not answer" });
  for (let asked = 0; asked < 6; asked++) await clock.advance(15_000);
  await failed;
});
