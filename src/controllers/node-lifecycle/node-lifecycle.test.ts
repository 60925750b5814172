import assert from "node:assert/strict";
import { test } from "node:test";
import { leases } from "#/api/coordination/v1.ts";
import { type Node, nodes, type Pod, pods, type Taint, type Toleration } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { allowedStayMs } from "../taint-eviction/plan-eviction.ts";
import { taintEvictionController } from "../taint-eviction/taint-eviction.ts";
import { countZones, evictionRates } from "./disruption.ts";
import { nodeLifecycleController } from "./node-lifecycle.ts";

const taint: Taint = { key: "k", effect: "NoExecute" };
const stays: readonly { name: string; tolerations: Toleration[]; ms: number | undefined }[] = [
  { name: "tolerates nothing", tolerations: [], ms: 0 },
  { name: "tolerates it for ever", tolerations: [{ operator: "Exists" }], ms: undefined },
  {
    name: "tolerates it for a while",
    tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: 3 }],
    ms: 3000,
  },
  {
    name: "tolerates it for a negative time",
    tolerations: [{ key: "k", operator: "Exists", tolerationSeconds: -1 }],
    ms: 0,
  },
];
for (const { name, tolerations, ms } of stays) {
  test(`allowedStayMs() of a pod that ${name}`, () => {
    assert.equal(allowedStayMs([taint], tolerations), ms);
  });
}

const flags = {
  "node-eviction-rate": 0.1,
  "secondary-node-eviction-rate": 0.01,
  "unhealthy-zone-threshold": 0.55,
  "large-cluster-size-threshold": 50,
};
const rates: readonly {
  name: string;
  zones: Record<string, [ready: number, not: number]>;
  rate: number;
}[] = [
  { name: "one of three", zones: { a: [2, 1] }, rate: 0.1 },
  { name: "three of four", zones: { a: [1, 3] }, rate: 0 },
  { name: "most of many", zones: { a: [20, 40] }, rate: 0.01 },
  { name: "all of one zone", zones: { a: [0, 3], b: [3, 0] }, rate: 0.1 },
  { name: "all nodes", zones: { a: [0, 3], b: [0, 3] }, rate: 0 },
];
for (const { name, zones, rate } of rates) {
  test(`evictionRates() when ${name} are not ready`, () => {
    const all = Object.entries(zones).flatMap(([zone, [ready, not]]) =>
      Array.from({ length: ready + not }, (_, index) => ({
        node: { metadata: { labels: { "topology.kubernetes.io/zone": zone } }, spec: {} },
        isReady: index < ready,
      })),
    );
    assert.equal(evictionRates(countZones(all), flags).get(":a"), rate);
  });
}

test("a silent node gets Unknown conditions and taints, and its Pods are evicted", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [nodeLifecycleController, taintEvictionController], {
    args: ["--node-monitor-period=20ms", "--node-monitor-grace-period=300ms"],
  });
  const { client, until } = run;
  const node = (name: string): Node => ({ metadata: { name }, spec: {} });
  for (const name of ["silent", "alive"]) {
    const made = await client.create(nodes, node(name));
    const conditions = [{ type: "Ready", status: "True" }];
    await client.updateStatus(nodes, { ...made, status: { conditions } });
  }
  const pod: Pod = {
    metadata: { name: "p", namespace: "default" },
    spec: { nodeName: "silent", containers: [{ name: "c", image: "i" }] },
  };
  await client.create(pods, pod);
  const metadata = { name: "alive", namespace: "kube-node-lease" };
  let lease = await client.create(leases, { metadata, spec: { holderIdentity: "alive" } });
  let beats = 0;
  await until("an eviction", async () => {
    const renewTime = `2026-01-01T00:00:00.${String(beats++).padStart(6, "0")}Z`;
    lease = await client.update(leases, { ...lease, spec: { ...lease.spec, renewTime } });
    return await client
      .get(pods, refOf(pod))
      .then(({ metadata: { deletionTimestamp } }) => deletionTimestamp !== undefined, isNotFound);
  });
  const silent = await client.get(nodes, { name: "silent" });
  const [ready] = silent.status?.conditions?.filter(({ type }) => type === "Ready") ?? [];
  assert.deepEqual(
    [ready?.status, ready?.reason, ready?.message],
    ["Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."],
  );
  assert.deepEqual(silent.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort(), [
    "node.kubernetes.io/unreachable:NoExecute",
    "node.kubernetes.io/unreachable:NoSchedule",
  ]);
  const alive = await client.get(nodes, { name: "alive" });
  assert.deepEqual(alive.spec?.taints ?? [], []);
});
