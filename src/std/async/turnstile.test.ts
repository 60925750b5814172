import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../time/clock.ts";
import { Turnstile } from "./turnstile.ts";

test("Turnstile lets one piece pass at a time, owners in rotation", async () => {
  const turnstile = new Turnstile();
  const passed: string[] = [];
  const turns: number[] = [];
  let turn = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turn++) await nextTurn();
  })();
  const pass = async (owner: string): Promise<void> => {
    await turnstile.pass(owner);
    passed.push(owner);
    turns.push(turn);
  };
  await Promise.all(["a", "a", "a", "a", "b", "c"].map(pass));
  isDone = true;
  await counting;
  assert.deepEqual(passed, ["a", "a", "b", "c", "a", "a"]);
  assert.equal(new Set(turns).size, 6, `passed in turns ${turns}`);
});

test("Turnstile does not wait when it is free", async () => {
  const turnstile = new Turnstile();
  assert.equal(turnstile.pass("a"), undefined);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.equal(turnstile.pass("b"), undefined);
});
