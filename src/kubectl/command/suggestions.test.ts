import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../commands/index.ts";
import { suggestionsFor } from "./suggestions.ts";

for (const [typed, wanted] of [
  ["gett", "get"],
  ["remove", "delete"],
  ["appply", "apply"],
  ["list", "get"],
] as const) {
  test(`${typed} may mean ${wanted}`, () => {
    assert.ok(suggestionsFor(typed, commands).includes(wanted));
  });
}

test("an unknown word that resembles no command has no suggestions", () => {
  assert.deepEqual(suggestionsFor("frobnicate", commands), []);
});
