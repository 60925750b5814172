import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, ResourceRequirements } from "#/api/core/v1.ts";
import { podCgroupLimits } from "./cgroup-limits.ts";
import { cgroupParent, cgroupPath, podCgroupName, podUIDOf } from "./cgroup-name.ts";
import { cpuQuota, cpuShares, cpuWeight } from "./cpu-shares.ts";
import { containerLinuxResources, sandboxLinuxResources } from "./linux-resources.ts";
import { oomScoreAdjustment } from "./oom-score.ts";

const podWith = (...resources: ResourceRequirements[]): Pod => ({
  metadata: { name: "p", uid: "11-22" },
  spec: { containers: resources.map((one, at) => ({ name: `c${at}`, resources: one })) },
});
const guaranteed = podWith({
  requests: { cpu: "1", memory: "1Gi" },
  limits: { cpu: "1", memory: "1Gi" },
});
const burstable = podWith({ requests: { cpu: "250m", memory: "1Gi" } });
const bestEffort = podWith({});
const settings = {
  memoryCapacityBytes: 8 * 2 ** 30,
  cpuCFSQuota: true,
  cpuPeriodUs: 100_000,
  cgroupV2: false,
  hugePageSizes: ["2MB"],
  swapController: true,
  swapBehavior: "NoSwap" as const,
  swapCapacityBytes: 0,
  oomKillsContainer: true,
};

test("cpuShares(), cpuQuota() and cpuWeight() convert to the kernel's units", () => {
  assert.deepEqual([0, 1, 250, 1000, 1e9].map(cpuShares), [2, 2, 256, 1024, 262_144]);
  assert.deepEqual(
    [0, 1, 100, 2500].map((milli) => cpuQuota(milli)),
    [0, 1000, 10_000, 250_000],
  );
  assert.deepEqual([2, 102, 1024, 262_144].map(cpuWeight), [1, 17, 100, 10_000]);
});

const scores: [Pod, number][] = [
  [guaranteed, -997],
  [burstable, 875],
  [podWith({ requests: { cpu: "1m" } }), 999],
  [podWith({ requests: { memory: "16Gi" } }), 3],
  [bestEffort, 1000],
];
for (const [pod, score] of scores) {
  test(`oomScoreAdjustment() gives ${score}`, () => {
    const [container = { name: "" }] = pod.spec.containers;
    assert.equal(oomScoreAdjustment(pod, container, settings.memoryCapacityBytes), score);
  });
}

test("cgroup names follow the class and the driver", () => {
  const node = ["kubepods"];
  const name = podCgroupName(node, burstable);
  assert.equal(cgroupPath(name, "cgroupfs"), "/kubepods/burstable/pod11-22");
  assert.equal(
    cgroupPath(name, "systemd"),
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod11_22.slice",
  );
  assert.equal(cgroupParent(name, "systemd"), "kubepods-burstable-pod11_22.slice");
  assert.equal(cgroupParent(podCgroupName(node, guaranteed), "cgroupfs"), "/kubepods/pod11-22");
  assert.equal(podUIDOf("kubepods-burstable-pod11_22.slice"), "11-22");
  assert.equal(podUIDOf("k8ts_two-kubepods-burstable-pod11_22.slice"), "11-22");
  assert.equal(podUIDOf("k8ts_two-kubepods-pod11_22.slice"), "11-22");
  assert.equal(podUIDOf("kubepods-burstable.slice"), undefined);
  assert.equal(podUIDOf("pod11-22"), "11-22");
  assert.equal(podUIDOf("burstable"), undefined);
});

test("podCgroupLimits() limits the resources that all containers limit", () => {
  const hugePages = new Map();
  assert.deepEqual(podCgroupLimits(guaranteed, settings, 100), {
    cpuShares: 1024,
    cpuQuotaUs: 100_000,
    cpuPeriodUs: 100_000,
    memoryBytes: 2 ** 30,
    pids: 100,
    hugePages,
  });
  assert.deepEqual(podCgroupLimits(burstable, settings, -1), { cpuShares: 256, hugePages });
  assert.deepEqual(podCgroupLimits(bestEffort, settings, -1), { cpuShares: 2, hugePages });
});

test("containerLinuxResources() returns the runtime's form", () => {
  const pod = podWith({ limits: { cpu: "500m", memory: "64Mi" } });
  const [container = { name: "" }] = pod.spec.containers;
  assert.deepEqual(containerLinuxResources(pod, container, settings), {
    cpuShares: 512,
    cpuPeriod: 100_000,
    cpuQuota: 50_000,
    memoryLimitInBytes: 64 << 20,
    memorySwapLimitInBytes: 64 << 20,
    oomScoreAdj: 999,
    hugepageLimits: [{ pageSize: "2MB", limit: 0 }],
  });
});

test("sandboxLinuxResources() adds up the containers", () => {
  const { resources } = sandboxLinuxResources(burstable, settings);
  assert.deepEqual(resources, {
    cpuShares: 256,
    cpuPeriod: 100_000,
    cpuQuota: 0,
    memoryLimitInBytes: 0,
  });
});
