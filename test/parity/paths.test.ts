import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsArea } from "./cases/paths.ts";
import { startOwn } from "./reference.ts";
import { replayArea } from "./replay.ts";

test("paths that are no resources answer as kube-apiserver's do", async () => {
  await using target = await startOwn([]);
  assert.deepEqual(await replayArea(target, pathsArea), []);
});
