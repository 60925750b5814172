import assert from "node:assert/strict";
import { test } from "node:test";
import { type ListedCommand, nearCommands, overview } from "./overview.ts";

const commands: readonly ListedCommand[] = [
  { name: "up", group: "use", summary: "start" },
  { name: "status", group: "use", summary: "show" },
  { name: "join", group: "nodes", summary: "join" },
  { name: "server", summary: "" },
];

test("overview() lists commands by group, fits 80 columns, and hides k8ts's own", () => {
  const text = overview(commands);
  assert.match(text, /^Use a cluster:\n {2}up {7}start\n {2}status {3}show\n\nNodes:\n {2}join /m);
  assert.doesNotMatch(text, /server/);
  assert.ok(text.split("\n").every((line) => line.length <= 80));
});

const typos: readonly (readonly [string, readonly string[]])[] = [
  ["stauts", ["status"]],
  ["stat", ["status"]],
  ["ups", ["up"]],
  ["frobnicate", []],
  ["serve", []],
];
for (const [word, expected] of typos) {
  test(`nearCommands() of "${word}" is [${expected}]`, () => {
    assert.deepEqual(nearCommands(word, commands), expected);
  });
}
