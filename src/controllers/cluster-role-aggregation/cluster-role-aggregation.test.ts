import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClusterRole, clusterRoles } from "#/api/rbac/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation.ts";

test("clusterrole-aggregation-controller maintains the rules of an aggregated role", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [clusterRoleAggregationController]);
  const { client, until } = run;
  const part = (name: string, resource: string): ClusterRole => ({
    metadata: { name, labels: { part: "yes" } },
    rules: [{ apiGroups: [""], resources: [resource], verbs: ["get"] }],
  });
  await client.create(clusterRoles, part("b", "pods"));
  await client.create(clusterRoles, {
    metadata: { name: "whole" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] },
  });
  const resources = async () =>
    (await client.get(clusterRoles, { name: "whole" })).rules?.flatMap(
      (rule) => rule.resources ?? [],
    );
  await until("the first rules", async () => (await resources())?.join() === "pods");
  await client.create(clusterRoles, part("a", "secrets"));
  await client.create(clusterRoles, part("c", "pods"));
  await until("more rules", async () => (await resources())?.join() === "secrets,pods");
  await client.delete(clusterRoles, { name: "a" });
  await until("fewer rules", async () => (await resources())?.join() === "pods");
  assert.deepEqual(await resources(), ["pods"]);
});
