import assert from "node:assert/strict";
import { test } from "node:test";
import { apps } from "./cases/apps.ts";
import { autoscaling } from "./cases/autoscaling.ts";
import { batch } from "./cases/batch.ts";
import { clusterSettings } from "./cases/cluster-settings.ts";
import { groupFeatures, schedulingGroups } from "./cases/scheduling-groups.ts";
import { replayArea } from "./replay.ts";
import { startWorkloadServer } from "./workload-server.ts";

for (const area of [apps, batch, autoscaling, clusterSettings]) {
  test(`workloads answer as the real server does: ${area.name}`, async () => {
    await using server = await startWorkloadServer();
    assert.deepEqual(await replayArea(server, area), []);
  });
}

test("groups of pods and workloads answer as the real server does", async () => {
  await using server = await startWorkloadServer(groupFeatures);
  assert.deepEqual(await replayArea(server, schedulingGroups), []);
});
