import assert from "node:assert/strict";
import { test } from "node:test";
import type { MetricSpec } from "#/api/autoscaling/v2.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import type { ApiObject } from "../../registry/strategy.ts";
import { autoscalerToV1, autoscalerToV2 } from "./convert-v1.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };

const metrics: readonly MetricSpec[] = [
  {
    type: "Resource",
    resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
  },
  {
    type: "ContainerResource",
    containerResource: {
      name: "cpu",
      container: "a",
      target: { type: "Utilization", averageUtilization: 60 },
    },
  },
  {
    type: "Pods",
    pods: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "1" } },
  },
  {
    type: "Object",
    object: {
      describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
      metric: { name: "hits", selector: { matchLabels: { a: "b" } } },
      target: { type: "Value", value: "2k" },
    },
  },
  {
    type: "External",
    external: { metric: { name: "e" }, target: { type: "AverageValue", averageValue: "30" } },
  },
  {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
  },
];

const object = {
  metadata: { name: "x", annotations: { other: "y" } },
  spec: {
    scaleTargetRef,
    minReplicas: 2,
    maxReplicas: 5,
    metrics,
    behavior: {
      scaleUp: {
        selectPolicy: "Max",
        policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
        tolerance: "50m",
      },
    },
  },
  status: {
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageValue: "1", averageUtilization: 7 } },
      },
    ],
    conditions: [{ type: "AbleToScale", status: "True" }],
  },
};

test("autoscalerToV1() and autoscalerToV2() round-trip without loss", () => {
  const v1 = autoscalerToV1(deepCopy(object) as unknown as ApiObject);
  assert.deepEqual(Object.keys(v1.metadata.annotations ?? {}).sort(), [
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/metrics",
    "other",
  ]);
  assert.deepEqual(autoscalerToV2(v1), object);
});

test("autoscalerToV2() defaults to a CPU target and does not change its argument", () => {
  const v1 = {
    metadata: { annotations: { "autoscaling.alpha.kubernetes.io/metrics": "no list" } },
    spec: { scaleTargetRef, maxReplicas: 3 },
  };
  const before = deepCopy(v1);
  const { spec, metadata } = autoscalerToV2(v1 as unknown as ApiObject) as unknown as typeof object;
  assert.deepEqual(spec.metrics, [
    {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
    },
  ]);
  assert.equal(metadata.annotations, undefined);
  assert.deepEqual(v1, before);
});
