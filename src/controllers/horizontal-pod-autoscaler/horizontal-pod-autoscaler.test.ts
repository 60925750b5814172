import assert from "node:assert/strict";
import { test } from "node:test";
import { deployments } from "#/api/apps/v1.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import type { Pod } from "#/api/core/v1.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler.ts";
import type { PodMetric } from "./metrics-client.ts";
import { byUtilization, byValue, type CalculatorOptions } from "./replica-calculator.ts";
import { normalize } from "./stabilize.ts";

const nowMs = Date.parse("2024-01-01T12:00:00Z");
const pod = (name: string, phase = "Running"): Pod =>
  ({
    metadata: { name },
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
    status: {
      phase,
      startTime: "2024-01-01T00:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" }],
    },
  }) as unknown as Pod;
const measured = (...values: number[]): Map<string, PodMetric> =>
  new Map(values.map((value, at) => [`p${at}`, { value, timestampMs: nowMs, windowMs: 60_000 }]));
const options = (pods: readonly Pod[]): CalculatorOptions => ({
  currentReplicas: pods.length,
  tolerances: { scaleDown: 0.1, scaleUp: 0.1 },
  pods,
  nowMs,
  cpuInitializationMs: 300_000,
  readinessDelayMs: 30_000,
});
const three = [pod("p0"), pod("p1"), pod("p2")];

const utilizations = [
  { claim: "grows with use", pods: three, use: [300, 500, 700], target: 30, replicas: 5 },
  {
    claim: "stays within the tolerance",
    pods: three,
    use: [300, 300, 320],
    target: 30,
    replicas: 3,
  },
  { claim: "shrinks with use", pods: three, use: [100, 300, 500], target: 50, replicas: 2 },
  {
    claim: "treats unmeasured Pods as idle when it grows",
    pods: [...three, pod("p3")],
    use: [300, 500, 700],
    target: 30,
    replicas: 5,
  },
  {
    claim: "treats unmeasured Pods as busy when it shrinks",
    pods: [...three, pod("p3")],
    use: [100, 100, 100],
    target: 50,
    replicas: 3,
  },
];

for (const { claim, pods, use, target, replicas } of utilizations) {
  test(`byUtilization ${claim}`, () => {
    const found = byUtilization(measured(...use), target, "cpu", "", options(pods));
    assert.equal(found.replicas, replicas);
  });
}

test("byValue leaves out pods that aren't ready", () => {
  const pods = [pod("p0"), pod("p1"), pod("p2", "Pending")];
  assert.equal(byValue(measured(10, 10), 5, "", options(pods)).replicas, 4);
});

const autoscaler = (behavior?: object): HorizontalPodAutoscaler =>
  ({
    metadata: { name: "h", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 20,
      ...(behavior ? { behavior } : {}),
    },
  }) as HorizontalPodAutoscaler;
const policy = (type: string, value: number) => ({ type, value, periodSeconds: 60 });

const limits = [
  {
    claim: "at most doubles without rules",
    current: 5,
    desired: 15,
    replicas: 10,
    why: "ScaleUpLimit",
  },
  { claim: "stays above the minimum", current: 5, desired: 0, replicas: 1, why: "TooFewReplicas" },
  {
    claim: "follows scale-up policies",
    behavior: { scaleUp: { policies: [policy("Pods", 2)] }, scaleDown: {} },
    current: 5,
    desired: 15,
    replicas: 7,
    why: "ScaleUpLimit",
  },
  {
    claim: "follows scale-down policies",
    behavior: {
      scaleUp: {},
      scaleDown: { stabilizationWindowSeconds: 0, policies: [policy("Percent", 10)] },
    },
    current: 10,
    desired: 2,
    replicas: 9,
    why: "ScaleDownLimit",
  },
];

for (const { claim, behavior, current, desired, replicas, why } of limits) {
  test(`normalize ${claim}`, () => {
    const history = { recommendations: [], ups: [], downs: [] };
    const input = { history, current, desired, min: 1, nowMs, downscaleMs: 0 };
    const found = normalize({ ...input, autoscaler: autoscaler(behavior) });
    assert.deepEqual([found.replicas, found.limited.reason], [replicas, why]);
  });
}

test("horizontal-pod-autoscaler-controller scales into its range, and reports missing metrics", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [horizontalPodAutoscalerController], {
    args: ["--horizontal-pod-autoscaler-sync-period=50ms"],
  });
  const { client, until, events } = run;
  const namespace = "default";
  const labels = { app: "d" };
  await client.create(deployments, {
    metadata: { name: "d", namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const made = autoscaler();
  const resource = {
    name: "cpu",
    target: { type: "Utilization" as const, averageUtilization: 50 },
  };
  await client.create(horizontalPodAutoscalers, {
    ...made,
    spec: { ...made.spec, minReplicas: 3, metrics: [{ type: "Resource", resource }] },
  });
  await until("3 replicas", async () => {
    const { spec } = await client.get(deployments, { name: "d", namespace });
    return spec.replicas === 3;
  });
  await until("a condition", async () => {
    const { status } = await client.get(horizontalPodAutoscalers, { name: "h", namespace });
    return status?.conditions?.some(({ reason }) => reason === "FailedGetResourceMetric") ?? false;
  });
  assert.equal(
    events[0],
    "Normal SuccessfulRescale New size: 3; reason: Current number of replicas below Spec.MinReplicas",
  );
});
