import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalsArea } from "./cases/refusals.ts";
import { startOwn } from "./reference.ts";
import { replayArea } from "./replay.ts";

test("what is wrong is refused as kube-apiserver does", async () => {
  await using target = await startOwn([]);
  assert.deepEqual(await replayArea(target, refusalsArea), []);
});
