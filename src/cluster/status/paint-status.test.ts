import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "../base/paint.ts";
import { paintStatus } from "./paint-status.ts";

const painted = (text: string): string => paintStatus(text, (style, word) => `<${style} ${word}>`);

for (const { text, expected } of [
  {
    text: "k8ts 0.1.0 · cluster x     healthy\n  nodes      a Ready · 2 CPU\n  pods       0, all healthy\n",
    expected:
      "<heading k8ts 0.1.0 · cluster x>     <good healthy>\n  nodes      a <good Ready> · 2 CPU\n  pods       0, all <good healthy>\n",
  },
  {
    text: "k8ts 0.1.0 · cluster x NOT healthy\n  nodes      a NotReady\n  programs   agent STOPPED\n",
    expected:
      "<heading k8ts 0.1.0 · cluster x> <bad NOT healthy>\n  nodes      a <bad NotReady>\n  programs   agent <bad STOPPED>\n",
  },
  {
    text: "k8ts 0.1.0 · cluster x       2.9 s\n  ready      DNS\n",
    expected: "<heading k8ts 0.1.0 · cluster x>       2.9 s\n  ready      DNS\n",
  },
]) {
  test(`paintStatus() of ${JSON.stringify(text.split("\n")[0])}`, () => {
    assert.equal(painted(text), expected);
    assert.equal(paintStatus(text, paintFor({})), text);
  });
}
