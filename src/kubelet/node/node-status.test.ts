import assert from "node:assert/strict";
import { test } from "node:test";
import { quantityOf } from "#/machinery/values/quantity.ts";
import { formatResourceList } from "#/machinery/values/resource-list.ts";
import { evictionThresholds } from "../state/thresholds.ts";
import { initialNode } from "./initial-node.ts";
import { nodeAllocatable, nodeCapacity } from "./node-capacity.ts";
import { nodeConditions } from "./node-conditions.ts";
import { metadataPatch, nodeStatus, statusChanged, statusPatch } from "./node-status.ts";
import { runtimeProblems } from "./runtime-health.ts";

const facts = {
  cores: 4,
  memoryBytes: 8 * 2 ** 30,
  swapBytes: 0,
  hugePages: [{ sizeBytes: 2 ** 21, count: 512 }],
  machineID: "m",
  systemUUID: "s",
  bootID: "b",
  kernelVersion: "6.1",
  osImage: "Debian",
  architecture: "amd64",
  maxPids: 1000,
};
const filesystem = { capacityBytes: 100 * 2 ** 30, availableBytes: 0, inodes: 1, inodesFree: 1 };
const settings = {
  maxPods: 110,
  kubeReserved: { cpu: "500m" },
  localStorageCapacityIsolation: true,
  thresholds: evictionThresholds({}),
};

test("nodeCapacity() and nodeAllocatable() subtract reservations", () => {
  const capacity = nodeCapacity(facts, filesystem, settings);
  assert.deepEqual(formatResourceList(capacity), {
    cpu: "4",
    memory: "8Gi",
    pods: "110",
    "ephemeral-storage": "100Gi",
    "hugepages-2Mi": "1Gi",
  });
  assert.deepEqual(formatResourceList(nodeAllocatable(capacity, settings)), {
    cpu: "3500m",
    memory: "7068Mi",
    pods: "110",
    "ephemeral-storage": "90Gi",
    "hugepages-2Mi": "1Gi",
  });
});

const pressure = { memory: false, disk: false, pid: false };

test("nodeConditions() keeps the time of unchanged conditions and reports changed ones", () => {
  const first = nodeConditions({ previous: [], pressure, problems: ["x", "y"], nowMs: 0 });
  assert.deepEqual(first.events, [
    "NodeHasSufficientMemory",
    "NodeHasNoDiskPressure",
    "NodeHasSufficientPID",
  ]);
  assert.equal(first.conditions[3]?.message, "[x, y]");
  const second = nodeConditions({
    previous: first.conditions,
    pressure: { ...pressure, memory: true },
    problems: [],
    nowMs: 60_000,
  });
  assert.deepEqual(second.events, ["NodeHasInsufficientMemory", "NodeReady"]);
  assert.deepEqual(
    second.conditions.map(({ type, status, lastTransitionTime }) => [
      type,
      status,
      lastTransitionTime,
    ]),
    [
      ["MemoryPressure", "True", "1970-01-01T00:01:00Z"],
      ["DiskPressure", "False", "1970-01-01T00:00:00Z"],
      ["PIDPressure", "False", "1970-01-01T00:00:00Z"],
      ["Ready", "True", "1970-01-01T00:01:00Z"],
    ],
  );
});

const input = {
  facts,
  capacity: new Map([["cpu", quantityOf(4)]]),
  allocatable: new Map([["cpu", quantityOf(4)]]),
  ips: ["10.0.0.1"],
  hostname: "n",
  externalCloudProvider: false,
  isIpGiven: false,
  runtimeVersion: "containerd://2.1.0",
  kubeletVersion: "v1.37.1",
  kubeletPort: 10250,
  images: [],
  runtime: undefined,
  declaredFeatures: [],
  volumesInUse: [],
  pressure,
  problems: [],
};

test("statusPatch() contains the changes, conditions by type", () => {
  const { status } = nodeStatus(undefined, { ...input, nowMs: 0 });
  const later = nodeStatus(status, { ...input, nowMs: 1000 }).status;
  assert.equal(statusChanged(status, later), false);
  const moved = nodeStatus(status, { ...input, ips: ["10.0.0.2"], nowMs: 0 }).status;
  assert.deepEqual(statusPatch(status, moved), {
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.0.2" },
        { type: "Hostname", address: "n" },
        { $patch: "replace" },
      ],
      conditions: [],
    },
  });
});

test("metadataPatch() sets the kubelet's own labels only", () => {
  const desired = initialNode({
    name: "n",
    hostname: "h",
    architecture: "amd64",
    labels: { mine: "1" },
    taints: [],
    providerID: "",
    externalCloudProvider: false,
    givenIps: [],
    enableControllerAttachDetach: true,
  });
  assert.equal(metadataPatch(desired, desired), undefined);
  const held = {
    ...desired,
    metadata: { ...desired.metadata, labels: { "kubernetes.io/os": "linux" } },
  };
  assert.deepEqual(metadataPatch(desired, held), {
    metadata: {
      labels: {
        "kubernetes.io/hostname": "h",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
      },
    },
  });
});

test("runtimeProblems() names the runtime's missing conditions", () => {
  assert.deepEqual(runtimeProblems({ status: undefined, lastReadyMs: 0 }, 0), [
    "container runtime status check may not have completed yet",
    "network state unknown",
  ]);
  const conditions = [
    { type: "RuntimeReady", status: true, reason: "", message: "" },
    { type: "NetworkReady", status: false, reason: "R", message: "M" },
  ];
  const status = {
    status: { conditions },
    info: new Map(),
    runtimeHandlers: [],
    features: undefined,
  };
  assert.deepEqual(runtimeProblems({ status: status as never, lastReadyMs: 1 }, 2), [
    "container runtime network not ready: NetworkReady=false reason:R message:M",
  ]);
});

for (const [claim, given, expected] of [
  ["prefers addresses that are given", ["10.0.0.1", "fd00::1"], "10.0.0.1,fd00::1"],
  ["leaves the choice to the cloud", [], undefined],
] as const) {
  test(`initialNode() with an external cloud provider ${claim}, and is tainted`, () => {
    const node = initialNode({
      name: "n",
      hostname: "h",
      architecture: "amd64",
      labels: {},
      taints: [],
      providerID: "",
      externalCloudProvider: true,
      givenIps: given,
      enableControllerAttachDetach: false,
    });
    const annotation = "alpha.kubernetes.io/provided-node-ip";
    assert.equal(node.metadata.annotations?.[annotation], expected);
    assert.equal(node.spec?.taints?.[0]?.key, "node.cloudprovider.kubernetes.io/uninitialized");
    const held = { ...node, metadata: { ...node.metadata, annotations: { [annotation]: "x" } } };
    assert.deepEqual(metadataPatch(node, held), {
      metadata: { annotations: { [annotation]: expected ?? null } },
    });
  });
}

test("nodeStatus() has no addresses of its own if the cloud is to find them", () => {
  const external = { ...input, ips: ["10.0.0.1"], externalCloudProvider: true, nowMs: 0 };
  const host = { type: "Hostname", address: input.hostname };
  assert.deepEqual(nodeStatus(undefined, external).status.addresses, [host]);
  assert.deepEqual(nodeStatus(undefined, { ...external, isIpGiven: true }).status.addresses, [
    { type: "InternalIP", address: "10.0.0.1" },
    host,
  ]);
});
