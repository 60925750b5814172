import assert from "node:assert/strict";
import { test } from "node:test";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { builtInResources } from "../index.ts";
import { enabledResources } from "../runtime-config.ts";
import { lifecycleResources } from "./index.ts";

const path = "/apis/lifecycle.k8s.io/v1alpha1/namespaces/default";
const uid = "123e4567-e89b-12d3-a456-426614174000";
const target = { pod: { name: "p", uid } };
const merge = { headers: { "content-type": "application/merge-patch+json" } };

test("evictionRequest accepts requests of one requester for one Pod", async () => {
  await using api = await startApiServer({ resources: lifecycleResources });
  const create = (spec: object) =>
    api.call("POST", `${path}/evictionrequests`, { metadata: { name: "a" }, spec });
  const messageOf = async (spec: object) => (await create(spec)).json.message as string;
  const good = { target, requester: "example.com/me", intent: "Eviction" };
  assert.match(
    await messageOf({ ...good, requester: "x.k8s.io/me" }),
    /spec\.requester: .*reserved/,
  );
  assert.match(await messageOf({ ...good, intent: "Maybe" }), /spec\.intent: Unsupported value/);
  assert.match(
    await messageOf({ ...good, target: {} }),
    /spec\.target: .*must specify one of: `pod`/,
  );
  const bad = { pod: { name: "p", uid: "X" } };
  assert.match(await messageOf({ ...good, target: bad }), /uid: .*lowercase UUID/);
  const made = await create(good);
  assert.deepEqual([made.status, made.json.metadata.generation], [201, 1]);
  const one = `${path}/evictionrequests/a`;
  const changed = await api.call("PATCH", one, { spec: { requester: "example.com/you" } }, merge);
  assert.match(changed.json.message, /field is immutable/);
  const withdrawn = await api.call("PATCH", one, { spec: { intent: "Withdrawn" } }, merge);
  assert.equal(withdrawn.json.metadata.generation, 2);
});

test("enabledResources() serves gated resources only with their feature", () => {
  const names = (gates: Record<string, boolean>) =>
    enabledResources(builtInResources(), { "api/all": "true" }, enabledFeatures(gates)).map(
      ({ handle }) => handle.name,
    );
  const gated = ["podgroups", "workloads", "compositepodgroups", "evictions", "evictionrequests"];
  assert.deepEqual(
    gated.filter((name) => names({}).includes(name)),
    [],
  );
  const on = {
    GenericWorkload: true,
    TopologyAwareWorkloadScheduling: true,
    CompositePodGroup: true,
    EvictionRequestAPI: true,
  };
  assert.deepEqual(
    gated.filter((name) => !names(on).includes(name)),
    [],
  );
});
