import assert from "node:assert/strict";
import { test } from "node:test";
import { replicaSets } from "#/api/apps/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { replicaSetController } from "../replica-set/replica-set.ts";
import { desiredHealthy } from "./desired-healthy.ts";
import { disruptionController } from "./disruption.ts";

const namespace = "default";

test("disruption-controller counts expected and healthy Pods", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [disruptionController, replicaSetController]);
  const { client, until } = run;
  const labels = { app: "web" };
  const selector = { matchLabels: labels };
  await client.create(podDisruptionBudgets, {
    metadata: { name: "b", namespace },
    spec: { selector, maxUnavailable: 1 },
  });
  await client.create(replicaSets, {
    metadata: { name: "r", namespace },
    spec: {
      replicas: 3,
      selector,
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const status = async () =>
    (await client.get(podDisruptionBudgets, { name: "b", namespace })).status;
  await until("3 expected", async () => (await status())?.expectedPods === 3);
  const list = async () => (await client.list(pods, { namespace })).items;
  await until("3 pods", async () => (await list()).length === 3);
  for (const { metadata } of await list()) {
    const conditions = [{ type: "Ready", status: "True" }];
    const patch = { status: { phase: "Running", conditions } };
    await client.patchStatus(pods, { name: metadata.name ?? "", namespace }, patch);
  }
  await until("one allowed", async () => (await status())?.disruptionsAllowed === 1);
  const now = await status();
  assert.equal(now?.desiredHealthy, 2);
  assert.equal(now?.currentHealthy, 3);
  assert.equal(now?.conditions?.[0]?.reason, "SufficientPods");
});

const budgets = [
  [{ maxUnavailable: 1 }, 3, 2],
  [{ maxUnavailable: "50%" }, 3, 1],
  [{ maxUnavailable: 5 }, 3, 0],
  [{ minAvailable: 2 }, 9, 2],
  [{ minAvailable: "30%" }, 5, 2],
] as const;

for (const [spec, expected, desired] of budgets) {
  test(`desiredHealthy of ${expected} pods with ${JSON.stringify(spec)} is ${desired}`, () => {
    assert.equal(desiredHealthy({ spec } as unknown as PodDisruptionBudget, expected), desired);
  });
}
