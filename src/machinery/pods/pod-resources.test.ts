import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod, PodSpec, PodStatus } from "#/api/core/v1.ts";
import { formatResourceList, parseResourceList } from "../values/resource-list.ts";
import { type PodResourcesOptions, podLimits, podRequests } from "./pod-resources.ts";
import { computeQOSClass, podQOSClass } from "./qos.ts";

type Amounts = Record<string, string>;

const container = (requests: Amounts, limits: Amounts = {}, name = "c"): Container => ({
  name,
  resources: { requests, limits },
});
const sidecar = (requests: Amounts): Container => ({
  ...container(requests),
  restartPolicy: "Always",
});
const pod = (spec: Partial<PodSpec>, status: PodStatus = {}): Pick<Pod, "spec" | "status"> => ({
  spec: { containers: [], ...spec },
  status,
});

interface Case {
  name: string;
  pod: Pick<Pod, "spec" | "status">;
  options?: PodResourcesOptions;
  requests: Amounts;
  limits?: Amounts;
}

const resized = { type: "PodResizePending", status: "True", reason: "Infeasible" };
const statusOf = (allocated: string, actual: string) => ({
  name: "c",
  ready: true,
  restartCount: 0,
  image: "i",
  imageID: "i",
  allocatedResources: { cpu: allocated },
  resources: { requests: { cpu: actual }, limits: { cpu: actual } },
});

const cases: Case[] = [
  { name: "nothing", pod: pod({}), requests: {}, limits: {} },
  {
    name: "containers add up",
    pod: pod({
      containers: [
        container({ cpu: "1", memory: "1Gi" }, { cpu: "2" }),
        container({ cpu: "500m" }, { cpu: "1" }),
      ],
    }),
    requests: { cpu: "1500m", memory: "1Gi" },
    limits: { cpu: "3" },
  },
  {
    name: "the largest init container counts if it is larger",
    pod: pod({
      containers: [container({ cpu: "1", memory: "1Gi" })],
      initContainers: [container({ cpu: "3" }), container({ memory: "512Mi" })],
    }),
    requests: { cpu: "3", memory: "1Gi" },
  },
  {
    name: "sidecars run beside containers and later init containers",
    pod: pod({
      containers: [container({ cpu: "1" })],
      initContainers: [container({ cpu: "3" }), sidecar({ cpu: "2" }), container({ cpu: "4" })],
    }),
    requests: { cpu: "6" },
  },
  {
    name: "overhead is added to requests and to existing limits",
    pod: pod({
      containers: [container({ cpu: "1" }, { cpu: "2", memory: "0" })],
      overhead: { cpu: "100m", memory: "10Mi" },
    }),
    requests: { cpu: "1100m", memory: "10Mi" },
    limits: { cpu: "2100m", memory: "0" },
  },
  {
    name: "overhead can be left out",
    pod: pod({ containers: [container({ cpu: "1" })], overhead: { cpu: "100m" } }),
    options: { excludeOverhead: true },
    requests: { cpu: "1" },
  },
  {
    name: "pod-level amounts replace those of the containers",
    pod: pod({
      containers: [container({ cpu: "1", memory: "1Gi", "example.com/gpu": "1" }, { cpu: "1" })],
      resources: { requests: { cpu: "5" }, limits: { cpu: "6", "example.com/gpu": "7" } },
    }),
    requests: { cpu: "5", memory: "1Gi", "example.com/gpu": "1" },
    limits: { cpu: "6" },
  },
  {
    name: "pod-level amounts can be skipped",
    pod: pod({ containers: [container({ cpu: "1" })], resources: { requests: { cpu: "5" } } }),
    options: { skipPodLevel: true },
    requests: { cpu: "1" },
  },
  {
    name: "missing requests are filled in per container",
    pod: pod({ containers: [container({ cpu: "1" }), container({ cpu: "0" }), container({})] }),
    options: { missingRequests: parseResourceList({ cpu: "100m" }) },
    requests: { cpu: "1100m" },
  },
  {
    name: "the largest of spec, allocated and actual counts during a resize",
    pod: pod(
      { containers: [container({ cpu: "1" }, { cpu: "1" })] },
      { containerStatuses: [statusOf("2", "3")] },
    ),
    options: { useStatus: true },
    requests: { cpu: "3" },
    limits: { cpu: "3" },
  },
  {
    name: "the spec does not count if the resize is infeasible",
    pod: pod(
      { containers: [container({ cpu: "9" }, { cpu: "9" })] },
      { containerStatuses: [statusOf("2", "1")], conditions: [resized] },
    ),
    options: { useStatus: true },
    requests: { cpu: "2" },
    limits: { cpu: "1" },
  },
  {
    name: "pod-level status counts if it is enabled",
    pod: pod(
      { containers: [container({ cpu: "1" })], resources: { requests: { cpu: "2" } } },
      { allocatedResources: { cpu: "4" }, resources: { requests: { cpu: "3" } } },
    ),
    options: { useStatus: true, usePodLevelStatus: true },
    requests: { cpu: "4" },
  },
  {
    name: "resource claims take node resources",
    pod: pod(
      { containers: [container({ cpu: "1" }, { cpu: "1" })] },
      {
        nodeAllocatableResourceClaimStatuses: [
          {
            resourceClaimName: "r",
            containers: ["c", "d"],
            mapping: [{ name: "cpu", quantity: "2" }],
            overhead: [{ name: "memory", perPod: "1Gi", perContainer: "1Gi" }],
          },
        ],
      },
    ),
    options: { useClaimStatus: true },
    requests: { cpu: "3", memory: "3Gi" },
    limits: { cpu: "3" },
  },
];

for (const { name, pod, options, requests, limits } of cases) {
  test(`podRequests() and podLimits(): ${name}`, () => {
    assert.deepEqual(formatResourceList(podRequests(pod, options)), requests);
    if (limits !== undefined) assert.deepEqual(formatResourceList(podLimits(pod, options)), limits);
  });
}

test("computeQOSClass() compares requests and limits of cpu and memory", () => {
  const both = { cpu: "1", memory: "1Gi" };
  const classes: [Partial<PodSpec>, string][] = [
    [{ containers: [] }, "BestEffort"],
    [{ containers: [container({})] }, "BestEffort"],
    [{ containers: [container({ cpu: "0" })] }, "BestEffort"],
    [{ containers: [container({ "example.com/gpu": "1" })] }, "BestEffort"],
    [{ containers: [container(both, { cpu: "1000m", memory: "1024Mi" })] }, "Guaranteed"],
    [{ containers: [container(both, { ...both, cpu: "2" })] }, "Burstable"],
    [{ containers: [container({ cpu: "1" }, { cpu: "1" })] }, "Burstable"],
    [{ containers: [container(both, both), container({})] }, "Burstable"],
    [{ containers: [container(both, both)], initContainers: [container({})] }, "Burstable"],
    [{ containers: [container({})], resources: { requests: both, limits: both } }, "Guaranteed"],
    [
      { containers: [container(both, both)], resources: { requests: { "example.com/gpu": "1" } } },
      "Guaranteed",
    ],
  ];
  for (const [spec, expected] of classes) {
    assert.equal(computeQOSClass(pod(spec)), expected, JSON.stringify(spec));
  }
  assert.equal(podQOSClass(pod({}, { qosClass: "Burstable" })), "Burstable");
});
