import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { endedBeyond, terminatingOnDeadNodes } from "./plan-removal.ts";
import { podGcController } from "./pod-gc.ts";

const ended = (name: string, created: string, reason?: string): Pod =>
  ({
    metadata: { name, creationTimestamp: created },
    status: { phase: "Failed", ...(reason ? { reason } : {}) },
  }) as Pod;

test("endedBeyond() returns evicted Pods first, then the oldest", () => {
  const all = [
    ended("young", "2024-01-03T00:00:00Z"),
    ended("old", "2024-01-01T00:00:00Z"),
    ended("evicted", "2024-01-04T00:00:00Z", "Evicted"),
    { metadata: { name: "runs" }, status: { phase: "Running" } } as Pod,
  ];
  const names = (threshold: number) => endedBeyond(all, threshold).map((pod) => pod.metadata.name);
  assert.deepEqual(names(1), ["evicted", "old"]);
  assert.deepEqual(names(3), []);
  assert.deepEqual(names(0), []);
});

test("terminatingOnDeadNodes() returns Pods of out-of-service nodes that aren't ready", () => {
  const node = (status: string): Node =>
    ({
      metadata: {},
      spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] },
      status: { conditions: [{ type: "Ready", status }] },
    }) as Node;
  const pod = {
    metadata: { name: "p", deletionTimestamp: "2024-01-01T00:00:00Z" },
    spec: { nodeName: "n" },
  } as Pod;
  assert.equal(terminatingOnDeadNodes([pod], () => node("Unknown")).length, 1);
  assert.equal(terminatingOnDeadNodes([pod], () => node("True")).length, 0);
});

test("pod-garbage-collector-controller deletes terminating Pods without a node", async () => {
  await using api = await startApiServer();
  const { client } = runControllersOn(api, []);
  const ref = { name: "p", namespace: "default" };
  const spec = { containers: [{ name: "c", image: "i" }] };
  await client.create(nodes, { metadata: { name: "n" }, spec: {} });
  await client.create(pods, { metadata: { ...ref, finalizers: ["a.b/c"] }, spec });
  await client.delete(pods, ref);
  await using run = runControllersOn(api, [podGcController]);
  await run.until("failure", async () => (await client.get(pods, ref)).status?.phase === "Failed");
  await client.patch(pods, ref, { metadata: { finalizers: null } }, { type: "merge" });
  await run.until("the end", () =>
    client.get(pods, ref).then(
      () => false,
      (error: unknown) => isNotFound(error),
    ),
  );
});
