import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { Progress } from "./progress.ts";

function target(isTTY: boolean, columns = 40) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string) => written.push(text) };
}

/** A step that takes some seconds of a fake clock. */
async function take(clock: FakeClock, seconds: number): Promise<void> {
  for (let ms = 0; ms < seconds * 1000; ms += 250) await clock.advance(250);
}

test("Progress writes one line for each step when piped", async () => {
  const clock = new FakeClock();
  const piped = target(false);
  const progress = new Progress(piped, clock);
  await progress.step("certificates", () => take(clock, 1));
  await assert.rejects(
    progress.step("API server", async () => {
      await take(clock, 2);
      throw new Error("no");
    }),
  );
  assert.deepEqual(piped.written, ["  ✓ certificates (1.0 s)\n", "  ✗ API server (2.0 s)\n"]);
  assert.equal(progress.seconds, "3.0 s");
});

test("Progress redraws the line of a running step on a terminal, cut to its width", async () => {
  const clock = new FakeClock();
  const terminal = target(true, 20);
  await new Progress(terminal, clock).step("a rather long title of a step", () => take(clock, 1));
  assert.equal(terminal.written[0], "\r\x1b[K  ⠋ a rather long t");
  assert.equal(terminal.written.length, 6, "one line at once, four redrawn, one at the end");
  assert.equal(
    terminal.written.at(-1),
    "\r\x1b[K  \x1b[32m✓\x1b[0m a rather long title of a step (1.0 s)\n",
  );
  assert.equal(clock.pendingTimers, 0);
});
