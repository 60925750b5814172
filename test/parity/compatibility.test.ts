import assert from "node:assert/strict";
import { test } from "node:test";
import { compatibilityArea } from "./cases/compatibility.ts";
import { startOwn } from "./reference.ts";
import { replayArea } from "./replay.ts";

test("old watches, parts of Pods, faulty patches and unknown forms are answered as by kube-apiserver", async () => {
  await using target = await startOwn([]);
  assert.deepEqual(await replayArea(target, compatibilityArea), []);
});
