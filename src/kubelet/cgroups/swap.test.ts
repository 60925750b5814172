import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceRequirements } from "#/api/core/v1.ts";
import { testPod } from "#/testing/pod-fixtures.ts";
import { type SwapSettings, swapLimit } from "./swap.ts";

const settings: SwapSettings = {
  cgroupV2: true,
  swapController: true,
  swapBehavior: "LimitedSwap",
  swapCapacityBytes: 1000,
  memoryCapacityBytes: 4000,
};
const burstable = { requests: { memory: "1000" }, limits: { memory: "2000" } };
const bytes = (count: number) => ({ unified: { "memory.swap.max": String(count) } });

const cases: [string, ResourceRequirements, Partial<SwapSettings>, object][] = [
  ["a burstable container gets its share", burstable, {}, bytes(250)],
  ["none is the default", burstable, { swapBehavior: "NoSwap" }, bytes(0)],
  ["a container without a memory request gets none", { requests: { cpu: "1" } }, {}, bytes(0)],
  ["one without a limit gets its share", { requests: { memory: "1000" } }, {}, bytes(250)],
  [
    "a guaranteed container gets none",
    { requests: { cpu: "1", memory: "1000" }, limits: { cpu: "1", memory: "1000" } },
    {},
    bytes(0),
  ],
  ["a best-effort container gets none", {}, {}, bytes(0)],
  ["a kernel without the controller limits nothing", burstable, { swapController: false }, {}],
  [
    "with cgroup v1 memory and swap have one limit",
    burstable,
    { cgroupV2: false },
    { memorySwapLimitInBytes: 2000 },
  ],
];
for (const [name, resources, more, expected] of cases) {
  test(`swapLimit(): ${name}`, () => {
    const container = { name: "c", resources };
    const pod = testPod({ containers: [container] });
    assert.deepEqual(swapLimit(pod, container, 2000, { ...settings, ...more }), expected);
  });
}

test("swapLimit(): a critical Pod gets none", () => {
  const container = { name: "c", resources: burstable };
  const pod = testPod({ containers: [container], priority: 2_000_000_000 });
  assert.deepEqual(swapLimit(pod, container, 2000, settings), bytes(0));
});
