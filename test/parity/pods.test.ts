import assert from "node:assert/strict";
import { test } from "node:test";
import type { Area } from "./case.ts";
import { podTemplatesArea } from "./cases/pod-templates.ts";
import { podContainers } from "./cases/pods-containers.ts";
import { podLife } from "./cases/pods-life.ts";
import { podSpecs } from "./cases/pods-spec.ts";
import { podVolumes } from "./cases/pods-volumes.ts";
import { startPodServer } from "./pod-server.ts";
import { replayArea } from "./replay.ts";

const areas: readonly Area[] = [podContainers, podVolumes, podSpecs, podLife, podTemplatesArea];

for (const area of areas) {
  test(`pods answer as the real server does: ${area.name}`, async () => {
    await using server = await startPodServer();
    assert.deepEqual(await replayArea(server, area), []);
  });
}
