import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerRevisions, type DaemonSet, daemonSets } from "#/api/apps/v1.ts";
import { nodes, type Pod, pods } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { daemonSetController } from "./daemon-set.ts";

const set: DaemonSet = {
  metadata: { name: "d", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
};

test("daemonset-controller keeps a pod on each node and rolls a new template out", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [daemonSetController]);
  const { client, until } = run;
  const list = async (): Promise<readonly Pod[]> =>
    (await client.list(pods, { namespace: "default" })).items;
  for (const name of ["a", "b"]) await client.create(nodes, { metadata: { name }, spec: {} });
  const made = await client.create(daemonSets, set);
  await until("2 pods", async () => (await list()).length === 2);
  await until("a status", async () => {
    const { status } = await client.get(daemonSets, refOf(made));
    return status?.currentNumberScheduled === 2 && status.observedGeneration === 1;
  });
  const targets = (await list()).map(
    ({ spec }) =>
      spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
        ?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0],
  );
  assert.deepEqual(targets.sort(), ["a", "b"]);
  const before = (await list()).map(({ metadata }) => metadata.name);
  const template = { spec: { containers: [{ name: "c", image: "j" }] } };
  await client.patch(daemonSets, refOf(made), { spec: { template } }, { type: "merge" });
  await until("new pods", async () => {
    const now = (await list()).filter(({ spec }) => spec?.containers[0]?.image === "j");
    return now.length === 2 && now.every(({ metadata }) => !before.includes(metadata.name));
  });
  const revisions = (await client.list(controllerRevisions, { namespace: "default" })).items;
  assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [1, 2]);
  await client.delete(nodes, { name: "b" });
  await until("one node", async () => {
    const { status } = await client.get(daemonSets, refOf(made));
    return status?.desiredNumberScheduled === 1;
  });
});
