import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Device,
  type DeviceClass,
  type DeviceConstraint,
  type DeviceRequest,
  deviceClasses,
  type ResourceClaim,
  type ResourceSlice,
  resourceClaims,
  resourceSlices,
} from "#/api/resource/v1.ts";
import {
  filterTexts,
  occupied,
  testContext,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import { allocateDevices } from "./allocate-devices.ts";
import { gatherPools } from "./device-pools.ts";
import { dynamicResources } from "./dynamic-resources.ts";

const driver = "gpu.example.com";
const gpu = (name: string, model: string, more: Partial<Device> = {}): Device => ({
  name,
  attributes: { model: { string: model }, version: { version: "1.2.3" }, size: { int: 8 } },
  capacity: { memory: { value: "16Gi" } },
  ...more,
});
const slice = (
  nodeName: string,
  devices: Device[],
  more: Partial<ResourceSlice["spec"]> = {},
): ResourceSlice => ({
  metadata: { name: `${nodeName}-slice` },
  spec: {
    driver,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    nodeName,
    devices,
    ...more,
  },
});
const gpuClass: DeviceClass = {
  metadata: { name: "gpu" },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
};
const request = (name: string, expression?: string, count = 1): DeviceRequest => ({
  name,
  exactly: {
    deviceClassName: "gpu",
    allocationMode: "ExactCount",
    count,
    ...(expression ? { selectors: [{ cel: { expression } }] } : {}),
  },
});
const claim = (
  name: string,
  requests: DeviceRequest[],
  constraints: DeviceConstraint[] = [],
  status?: ResourceClaim["status"],
): ResourceClaim => ({
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: { devices: { requests, constraints } },
  ...(status ? { status } : {}),
});
const a = testNode("a");
const attribute = (name: string): string => `device.attributes["${driver}"].${name}`;

function devicesOf(claims: ResourceClaim[], slices: ResourceSlice[], taken: string[] = []) {
  const results = allocateDevices(claims, a, {
    pools: gatherPools(slices),
    taken: new Set(taken),
    findClass: (name) => (name === "gpu" ? gpuClass : undefined),
  });
  return results?.map(({ devices }) =>
    devices?.results?.map((one) => `${one.request}=${one.device}`),
  );
}

const two = slice("a", [gpu("g0", "small"), gpu("g1", "large")]);

for (const { name, claims, slices = [two], taken = [], expected } of [
  {
    name: "allocates the first free device",
    claims: [claim("c", [request("r")])],
    expected: [["r=g0"]],
  },
  {
    name: "skips devices of other claims",
    claims: [claim("c", [request("r")])],
    taken: [`${driver}/a/g0`],
    expected: [["r=g1"]],
  },
  {
    name: "applies selectors",
    claims: [claim("c", [request("r", `${attribute("model")} == "large"`)])],
    expected: [["r=g1"]],
  },
  {
    name: "compares versions and capacities",
    claims: [
      claim("c", [
        request(
          "r",
          `${attribute("version")}.isGreaterThan(semver("1.0.0")) && device.capacity["${driver}"].memory.compareTo(quantity("8Gi")) > 0 && ${attribute("size")} == 8`,
        ),
      ]),
    ],
    expected: [["r=g0"]],
  },
  {
    name: "backtracks if a first choice leaves nothing for a later request",
    claims: [claim("c", [request("any"), request("small", `${attribute("model")} == "small"`)])],
    expected: [["any=g1", "small=g0"]],
  },
  {
    name: "fails if there are too few devices",
    claims: [claim("c", [request("r", undefined, 2)]), claim("d", [request("s")])],
    expected: undefined,
  },
  {
    name: "applies matchAttribute constraints",
    claims: [claim("c", [request("r", undefined, 2)], [{ matchAttribute: `${driver}/model` }])],
    slices: [slice("a", [gpu("g0", "x"), gpu("g1", "y"), gpu("g2", "x")])],
    expected: [["r=g0", "r=g2"]],
  },
  {
    name: "takes the first alternative that can be allocated",
    claims: [
      claim("c", [
        {
          name: "r",
          firstAvailable: [
            {
              name: "huge",
              deviceClassName: "gpu",
              selectors: [{ cel: { expression: `${attribute("model")} == "huge"` } }],
            },
            { name: "plain", deviceClassName: "gpu" },
          ],
        },
      ]),
    ],
    expected: [["r/plain=g0"]],
  },
  {
    name: "allocates all matching devices",
    claims: [
      claim("c", [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "All" } }]),
    ],
    expected: [["r=g0", "r=g1"]],
  },
  {
    name: "skips tainted devices",
    claims: [claim("c", [request("r")])],
    slices: [slice("a", [gpu("g0", "x", { taints: [{ key: "broken", effect: "NoSchedule" }] })])],
    expected: undefined,
  },
  {
    name: "doesn't exceed shared counters",
    claims: [claim("c", [request("r", undefined, 2)])],
    slices: [
      slice(
        "a",
        ["p0", "p1"].map((name) =>
          gpu(name, "x", {
            consumesCounters: [{ counterSet: "card", counters: { memory: { value: "10Gi" } } }],
          }),
        ),
        { sharedCounters: [{ name: "card", counters: { memory: { value: "16Gi" } } }] },
      ),
    ],
    expected: undefined,
  },
  {
    name: "skips a pool until all its slices are there",
    claims: [claim("c", [request("r")])],
    slices: [
      slice("a", [gpu("g0", "x")], { pool: { name: "a", generation: 1, resourceSliceCount: 2 } }),
    ],
    expected: undefined,
  },
]) {
  test(`allocateDevices() ${name}`, () => {
    assert.deepEqual(devicesOf(claims, slices, taken), expected);
  });
}

const uses = (...claims: string[]) =>
  testPod("pod", {
    spec: { resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })) },
  });
const nodes = [occupied(a), occupied(testNode("b"))];
const elsewhere: NonNullable<ResourceClaim["status"]> = {
  allocation: {
    nodeSelector: {
      nodeSelectorTerms: [
        { matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] },
      ],
    },
  },
};

for (const { name, claims = [], pod, texts } of [
  { name: "skips pods without claims", pod: testPod("pod"), texts: { a: "", b: "" } },
  {
    name: "rejects a pod whose claim is missing",
    pod: uses("c"),
    texts: 'resourceclaim.resource.k8s.io "c" not found',
  },
  {
    name: "restricts pods to nodes that have the devices",
    claims: [claim("c", [request("r")])],
    pod: uses("c"),
    texts: { a: "", b: "cannot allocate all claims" },
  },
  {
    name: "restricts pods to the nodes of their devices",
    claims: [claim("c", [request("r")], [], elsewhere)],
    pod: uses("c"),
    texts: { a: "resourceclaim not available on the node", b: "" },
  },
  {
    name: "reports a missing class",
    claims: [claim("c", [{ name: "r", exactly: { deviceClassName: "none" } }])],
    pod: uses("c"),
    texts: "request r: device class none does not exist",
  },
]) {
  test(`DynamicResources ${name}`, () => {
    const context = testContext([
      [resourceClaims, claims],
      [deviceClasses, [gpuClass]],
      [resourceSlices, [two]],
    ]);
    assert.deepEqual(filterTexts(testPlugin(dynamicResources, {}, context), pod, nodes), texts);
  });
}

test("DynamicResources keeps pods out of the queue until their claims are created", () => {
  const plugin = testPlugin(dynamicResources);
  const pod = testPod("pod", {
    spec: { resourceClaims: [{ name: "c", resourceClaimTemplateName: "t" }] },
  });
  assert.deepEqual(plugin.preEnqueue?.(pod)?.reasons, [
    'pod "default/pod": ResourceClaim not created yet',
  ]);
});
