import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Node, Pod, ResourceRequirements } from "#/api/core/v1.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { testContainer, testPod } from "#/testing/pod-fixtures.ts";
import { PodResizing } from "./pod-resizing.ts";

const node: Node = {
  metadata: { name: "n1" },
  spec: {},
  status: { allocatable: { cpu: "2", pods: "10" } },
};
const asking = (cpu: string, uid = "u1"): Pod =>
  testPod(
    { containers: [testContainer("main", { resources: { requests: { cpu } } })] },
    { uid, generation: 1 },
  );
const running = (pod: Pod, resources: ResourceRequirements): Pod => ({
  ...pod,
  status: {
    phase: "Running",
    containerStatuses: [
      {
        name: "main",
        state: { running: {} },
        ready: true,
        restartCount: 0,
        image: "",
        imageID: "",
        resources,
        allocatedResources: resources.requests ?? {},
      },
    ],
  },
});

function fixture(): { resizing: PodResizing; told: string[] } {
  const told: string[] = [];
  const context = {
    clock: new FakeClock(),
    cgroups: {
      containerResources: (_: Pod, { resources }: Container) => ({
        cpuShares: Number(resources?.requests?.["cpu"]?.replace("m", "")),
      }),
    },
    cri: { runtime: { UpdateContainerResources: async () => void told.push("updated") } },
    events: { record: (_: Pod, { reason }: { reason: string }) => void told.push(reason) },
  };
  const options = {
    context,
    cgroups: { ensure: async () => undefined },
    watch: { get: () => undefined },
    node: { node: () => node },
  };
  return { resizing: new PodResizing(options as never), told };
}

const granted = (pod: Pod): unknown => pod.spec.containers[0]?.resources?.requests?.["cpu"];

test("PodResizing grants resources that a node has room for", () => {
  const { resizing, told } = fixture();
  resizing.allocate(asking("1"), []);
  assert.equal(granted(resizing.allocate(asking("1500m"), [])), "1500m");
  assert.deepEqual(told, ["ResizeStarted"]);
});

test("PodResizing defers resources that a node has no room for now, and grants it later", () => {
  const { resizing, told } = fixture();
  resizing.allocate(asking("500m"), []);
  const held = resizing.allocate(asking("1500m"), [asking("1", "u2")]);
  assert.equal(granted(held), "500m");
  assert.equal(resizing.isDeferred("u1"), true);
  assert.equal(granted(resizing.allocate(asking("1500m"), [])), "1500m");
  assert.deepEqual(told, ["ResizeDeferred", "ResizeStarted"]);
  assert.equal(resizing.isDeferred("u1"), false);
});

test("PodResizing reports resizes that are impossible on a node", () => {
  const { resizing } = fixture();
  resizing.allocate(asking("1"), []);
  resizing.allocate(asking("50"), []);
  const [condition] = resizing.conditions(asking("50"));
  assert.deepEqual(
    [condition?.type, condition?.reason, condition?.message],
    [
      "PodResizePending",
      "Infeasible",
      "Node didn't have enough capacity: cpu, requested: 50000, capacity: 2000",
    ],
  );
});

test("PodResizing reads the resources of running pods from their status", () => {
  const { resizing } = fixture();
  const pod = running(asking("50"), { requests: { cpu: "1" } });
  assert.equal(granted(resizing.allocate(pod, [])), "1");
});

test("PodResizing has a pod looked at again until its condition has ended", async () => {
  const { resizing, told } = fixture();
  resizing.allocate(asking("500m"), []);
  const pod = resizing.allocate(asking("1500m"), []);
  const main = { id: "c1", name: "main", state: "running", resources: { cpuShares: 500 } };
  const observed = { containers: [main] } as never;
  const look = () => resizing.apply(pod, observed, { keep: ["main"] } as never);
  const types = () => resizing.conditions(pod).map(({ type }) => type);
  assert.equal(await look(), true);
  assert.deepEqual([told, types()], [["ResizeStarted", "updated"], ["PodResizeInProgress"]]);
  // The condition ends after the status was made: it has to be made again.
  assert.equal(await look(), true);
  assert.deepEqual([told.at(-1), types()], ["ResizeCompleted", []]);
  assert.equal(await look(), false);
});
