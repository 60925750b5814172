import assert from "node:assert/strict";
import { test } from "node:test";
import { namespaces, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { deviceClasses, resourceClaims, resourceSlices } from "#/api/resource/v1.ts";
import type { Client } from "#/client/client.ts";
import { runSchedulerOn } from "#/testing/run-scheduler-on.ts";
import { asking, testNode, testPod } from "#/testing/scheduler-objects.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { truncateNote } from "./truncate-note.ts";

async function withNodes(client: Client, names: readonly string[]): Promise<void> {
  await client.create(namespaces, { metadata: { name: "default" }, spec: {} });
  for (const name of names) {
    const labels = { "kubernetes.io/hostname": name };
    await client.create(nodes, testNode(name, { metadata: { labels } }));
  }
}

function unborn(pod: Pod): Pod {
  const { uid: _, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}

const getPod = (client: Client, name: string): Promise<Pod> =>
  client.get(pods, { namespace: "default", name });

test("Scheduler binds a pod to a node that fits, and records an event", async () => {
  await using api = await startApiServer();
  await using running = runSchedulerOn(api);
  const { client, events, until, scheduler } = running;
  await withNodes(client, ["a", "b"]);
  await client.create(
    pods,
    unborn(testPod("web", { spec: { nodeSelector: { "kubernetes.io/hostname": "b" } } })),
  );
  await until(
    "the pod has a node",
    async () => (await getPod(client, "web")).spec.nodeName === "b",
  );
  await until("the event is told", () => events.length > 0);
  assert.deepEqual(events, ["Normal Scheduled Successfully assigned default/web to b"]);
  const { result, node, rejected } = scheduler.explanations.get("default/web") ?? {};
  assert.deepEqual(
    { result, node, rejected },
    {
      result: "scheduled",
      node: "b",
      rejected: [
        {
          plugin: "NodeAffinity",
          reasons: ["node(s) didn't match Pod's node affinity/selector"],
          count: 1,
          nodes: ["a"],
        },
      ],
    },
  );
});

test("Scheduler records why a pod fits nowhere, and retries when a node is added", async () => {
  await using api = await startApiServer();
  await using running = runSchedulerOn(api);
  const { client, events, until } = running;
  await withNodes(client, ["a", "b"]);
  await client.create(pods, unborn(testPod("big", { spec: asking({ cpu: "6" }) })));
  const message =
    "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  await until("the condition is set", async () => {
    const { status } = await getPod(client, "big");
    return status?.conditions?.some(({ type }) => type === "PodScheduled") === true;
  });
  const { status } = await getPod(client, "big");
  const { lastTransitionTime: _, ...condition } = status?.conditions?.[0] ?? {};
  assert.deepEqual(condition, {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    observedGeneration: 1,
  });
  assert.deepEqual(events, [`Warning FailedScheduling ${message}`]);
  const large = testNode("c", { status: { allocatable: { cpu: "8", memory: "8Gi", pods: "10" } } });
  await client.create(nodes, large);
  await until(
    "the pod has a node",
    async () => (await getPod(client, "big")).spec.nodeName === "c",
  );
});

test("Scheduler evicts a pod of lower priority for one that fits nowhere", async () => {
  await using api = await startApiServer();
  await using running = runSchedulerOn(api);
  const { client, events, until } = running;
  await withNodes(client, ["a"]);
  await client.create(pods, unborn(testPod("low", { spec: asking({ cpu: "3" }) })));
  await until(
    "the first is placed",
    async () => (await getPod(client, "low")).spec.nodeName === "a",
  );
  const spec = { ...asking({ cpu: "3" }), priority: 1000, terminationGracePeriodSeconds: 0 };
  await client.create(pods, unborn(testPod("high", { spec })));
  await until("the victim leaves", async () => {
    const { metadata, status } = await getPod(client, "low");
    return metadata.deletionTimestamp !== undefined && status?.conditions !== undefined;
  });
  const { status } = await getPod(client, "low");
  assert.equal(
    status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.message,
    "default-scheduler: preempting to accommodate a higher priority pod",
  );
  await until("the node is nominated", async () => {
    return (await getPod(client, "high")).status?.nominatedNodeName === "a";
  });
  const { uid } = (await getPod(client, "high")).metadata;
  await until("the eviction is told", () => events.some((event) => event.includes("Preempted")));
  assert.equal(
    events.find((event) => event.includes("Preempted")),
    `Normal Preempted Preempted by pod ${uid ?? ""} on node a`,
  );
  await client.delete(pods, { namespace: "default", name: "low" }, { gracePeriodSeconds: 0 });
  await until(
    "the pod has a node",
    async () => (await getPod(client, "high")).spec.nodeName === "a",
  );
});

test("Scheduler ignores gated pods and other schedulers' pods", async () => {
  await using api = await startApiServer();
  await using running = runSchedulerOn(api);
  const { client, until } = running;
  await withNodes(client, ["a"]);
  await client.create(pods, unborn(testPod("other", { spec: { schedulerName: "other" } })));
  const gated = unborn(
    testPod("gated", { spec: { schedulingGates: [{ name: "example.com/wait" }] } }),
  );
  await client.create(pods, gated);
  await client.create(pods, unborn(testPod("plain")));
  await until(
    "the plain pod has a node",
    async () => (await getPod(client, "plain")).spec.nodeName === "a",
  );
  assert.equal((await getPod(client, "gated")).spec.nodeName, undefined);
  assert.equal((await getPod(client, "other")).spec.nodeName, undefined);
  const now = await getPod(client, "gated");
  await client.update(pods, { ...now, spec: { ...now.spec, schedulingGates: [] } });
  await until("the gate opens", async () => (await getPod(client, "gated")).spec.nodeName === "a");
});

test("truncateNote() truncates to the limit of Events", () => {
  assert.equal(truncateNote("short"), "short");
  const cut = truncateNote("x".repeat(2000));
  assert.equal(cut.length, 1024);
  assert.ok(cut.endsWith("x ..."));
});

test("Scheduler allocates a pod's devices before it binds the pod", async () => {
  await using api = await startApiServer();
  await using running = runSchedulerOn(api);
  const { client, until } = running;
  await withNodes(client, ["a", "b"]);
  await client.create(deviceClasses, { metadata: { name: "gpu" }, spec: {} });
  await client.create(resourceSlices, {
    metadata: { name: "slice" },
    spec: {
      driver: "gpu.example.com",
      pool: { name: "b", generation: 1, resourceSliceCount: 1 },
      nodeName: "b",
      devices: [{ name: "gpu-0" }],
    },
  });
  const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
  const claim = { metadata: { name: "claim", namespace: "default" }, spec: { devices } };
  await client.create(resourceClaims, claim);
  const spec = { resourceClaims: [{ name: "gpu", resourceClaimName: "claim" }] };
  await client.create(pods, unborn(testPod("pod", { spec })));
  await until(
    "the pod has a node",
    async () => (await getPod(client, "pod")).spec.nodeName === "b",
  );
  const { metadata, status } = await client.get(resourceClaims, {
    namespace: "default",
    name: "claim",
  });
  const { uid = "" } = (await getPod(client, "pod")).metadata;
  assert.deepEqual(metadata.finalizers, ["resource.kubernetes.io/delete-protection"]);
  assert.deepEqual(status?.reservedFor, [{ resource: "pods", name: "pod", uid }]);
  const results = status?.allocation?.devices?.results;
  assert.deepEqual(
    results?.map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
    ["gpu.example.com/b/gpu-0"],
  );
});
