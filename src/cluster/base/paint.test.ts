import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "./paint.ts";

for (const { name, isTTY, env, isPainted } of [
  { name: "a terminal", isTTY: true, env: { TERM: "xterm" }, isPainted: true },
  { name: "a pipe", isTTY: undefined, env: { TERM: "xterm" }, isPainted: false },
  { name: "NO_COLOR", isTTY: true, env: { TERM: "xterm", NO_COLOR: "1" }, isPainted: false },
  { name: "an empty NO_COLOR", isTTY: true, env: { NO_COLOR: "" }, isPainted: true },
  { name: "a dumb terminal", isTTY: true, env: { TERM: "dumb" }, isPainted: false },
]) {
  test(`paintFor() with ${name} ${isPainted ? "paints" : "leaves text as it is"}`, () => {
    const text = paintFor({ isTTY }, env)("good", "✓");
    assert.equal(text, isPainted ? "\x1b[32m✓\x1b[0m" : "✓");
  });
}
