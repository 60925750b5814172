import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmissionTarget } from "./admission-server.ts";
import { registrationsArea } from "./cases/registrations.ts";
import { replayArea } from "./replay.ts";

test("webhook configurations and policies are checked as the real server does", async () => {
  await using target = await startAdmissionTarget();
  assert.deepEqual(await replayArea(target, registrationsArea), []);
});
