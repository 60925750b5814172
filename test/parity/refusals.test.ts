import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalsArea } from "./cases/refusals.ts";
import { startOwn } from "./reference.ts";
import { replayArea } from "./replay.ts";

test("invalid requests are refused as by kube-apiserver", async () => {
  await using target = await startOwn([]);
  assert.deepEqual(await replayArea(target, refusalsArea), []);
});
