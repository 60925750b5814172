/** Cases: pkg/controller/resourcequota/resource_quota_controller_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, ResourceQuotaSpec } from "#/api/core/v1.ts";
import { podEvaluator } from "#/machinery/quota/pod-evaluator.ts";
import { objectCountEvaluator } from "#/machinery/quota/quota-evaluator.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { formatResourceList, parseResourceList } from "#/machinery/values/resource-list.ts";
import { computeUsage } from "./compute-usage.ts";

const nowMs = 1_000_000_000_000;

interface PodFacts {
  readonly phase?: "Running" | "Succeeded" | "Failed";
  readonly requests?: Record<string, string>;
  readonly limits?: Record<string, string>;
  readonly overdueMs?: number;
}

function pod({ phase = "Running", requests, limits, overdueMs }: PodFacts = {}): Pod {
  const resources = { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) };
  const going = {
    deletionTimestamp: formatTime(nowMs - (overdueMs ?? 0)),
    deletionGracePeriodSeconds: 30,
  };
  return {
    metadata: { name: "web", ...(overdueMs === undefined ? {} : going) },
    spec: { containers: [{ name: "main", resources }] },
    status: { phase },
  };
}

const small = { cpu: "100m", memory: "1Gi" };
const both = { requests: small, limits: { cpu: "200m", memory: "2Gi" } };

const cases: readonly {
  readonly name: string;
  readonly spec: ResourceQuotaSpec;
  readonly pods: readonly Pod[];
  readonly used: Readonly<Record<string, string>>;
}[] = [
  {
    name: "no Pods",
    spec: { hard: { pods: "5", cpu: "3" } },
    pods: [],
    used: { pods: "0", cpu: "0" },
  },
  {
    name: "Pods and their requests",
    spec: { hard: { pods: "5", cpu: "3", memory: "100Gi" } },
    pods: [pod(both), pod(both)],
    used: { pods: "2", cpu: "200m", memory: "2Gi" },
  },
  {
    name: "requests and limits by their full names",
    spec: { hard: { "requests.cpu": "3", "limits.cpu": "3", "limits.memory": "9Gi" } },
    pods: [pod(both), pod(both)],
    used: { "requests.cpu": "200m", "limits.cpu": "400m", "limits.memory": "4Gi" },
  },
  {
    name: "Pods that have ended",
    spec: { hard: { pods: "5", cpu: "3" } },
    pods: [pod(both), pod({ ...both, phase: "Failed" }), pod({ ...both, phase: "Succeeded" })],
    used: { pods: "1", cpu: "100m" },
  },
  {
    name: "Pods that have ended count as objects",
    spec: { hard: { "count/pods": "5" } },
    pods: [pod(both), pod({ ...both, phase: "Failed" })],
    used: { "count/pods": "2" },
  },
  {
    name: "a Pod that has outlived its grace period",
    spec: { hard: { pods: "5" } },
    pods: [pod({ overdueMs: 31_000 }), pod({ overdueMs: 29_000 })],
    used: { pods: "1" },
  },
  {
    name: "only Pods without requests (BestEffort)",
    spec: { hard: { pods: "5" }, scopes: ["BestEffort"] },
    pods: [pod(both), pod(), pod()],
    used: { pods: "2" },
  },
  {
    name: "only Pods with requests (NotBestEffort)",
    spec: { hard: { pods: "5", cpu: "3" }, scopes: ["NotBestEffort"] },
    pods: [pod(both), pod(), pod()],
    used: { pods: "1", cpu: "100m" },
  },
  {
    name: "resource names that Pods do not use",
    spec: { hard: { services: "5", pods: "1" } },
    pods: [pod()],
    used: { pods: "1" },
  },
];

for (const { name, spec, pods, used } of cases) {
  test(`computeUsage(): ${name}`, () => {
    const quota = { metadata: { name: "quota" }, spec };
    const counted = [{ evaluator: podEvaluator(() => nowMs), objects: pods }];
    const usage = computeUsage(quota, parseResourceList(spec.hard), counted);
    assert.deepEqual(formatResourceList(usage), used);
  });
}

test("computeUsage() adds up the usage of several resources", () => {
  const quota = { metadata: {}, spec: { hard: { pods: "5", "count/secrets": "5" } } };
  const usage = computeUsage(quota, parseResourceList(quota.spec.hard), [
    { evaluator: podEvaluator(() => nowMs), objects: [pod()] },
    { evaluator: objectCountEvaluator(["count/secrets"]), objects: [{}, {}] },
  ]);
  assert.deepEqual(formatResourceList(usage), { pods: "1", "count/secrets": "2" });
});
