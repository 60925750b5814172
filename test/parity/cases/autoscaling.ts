import type { Area, Case } from "../case.ts";
import { createEach } from "./create-each.ts";
import { apply, autoscalersV1, autoscalersV2, create, merge, read, update } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const v2 = (spec: object, metadata: object = {}): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "x", ...metadata },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
});
const v1 = (spec: object, metadata: object = {}): object => ({
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "x", ...metadata },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
});
const prefix = "autoscaling.alpha.kubernetes.io";
const annotations = (entries: Readonly<Record<string, string>>): object => ({
  annotations: Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [`${prefix}/${name}`, value]),
  ),
});
const metric = (parts: object): object => v2({ metrics: [parts] });

const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};
const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
const container = {
  type: "ContainerResource",
  containerResource: {
    name: "cpu",
    container: "a",
    target: { type: "Utilization", averageUtilization: 60 },
  },
};
const pods = {
  type: "Pods",
  pods: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "100m" } },
};
const object = {
  type: "Object",
  object: {
    describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
    metric: { name: "hits", selector: { matchLabels: { a: "b" } } },
    target: { type: "Value", value: "2k" },
  },
};
const external = {
  type: "External",
  external: {
    metric: { name: "queue", selector: { matchLabels: { a: "b" } } },
    target: { type: "AverageValue", averageValue: "30" },
  },
};
const all = [cpu, memory, container, pods, object, external];

const created: Case[] = [
  ...createEach(autoscalersV2, {
    "v2 defaults": v2({}),
    "v2 without spec": {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "x" },
    },
    "v2 no reference": v2({ scaleTargetRef: {} }),
    "v2 odd reference": v2({ scaleTargetRef: { apiVersion: "a/b/c", kind: "a/b", name: ".." } }),
    "v2 reference without group": v2({
      scaleTargetRef: { apiVersion: "v1", kind: "Pod", name: "x" },
    }),
    "v2 reference to a replication controller": v2({
      scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "x" },
    }),
    "v2 negative replicas": v2({ minReplicas: -1, maxReplicas: -2 }),
    "v2 zero replicas": v2({ minReplicas: 0 }),
    "v2 zero replicas by a metric": v2({ minReplicas: 0, metrics: [external] }),
    "v2 no greatest number": v2({ maxReplicas: 0 }),
    "v2 least above greatest": v2({ minReplicas: 6 }),
    "v2 all metrics": v2({ metrics: all }),
    "v2 metric without type": metric({}),
    "v2 metric of unknown type": metric({ type: "Odd" }),
    "v2 metric without source": metric({ type: "Pods" }),
    "v2 metric with another source": metric({ ...memory, type: "Pods" }),
    "v2 metric with two sources": metric({ ...memory, pods: pods.pods }),
    "v2 resource": metric({ type: "Resource", resource: { target: {} } }),
    "v2 resource both ways": metric({
      type: "Resource",
      resource: {
        name: "cpu",
        target: { type: "Utilization", averageUtilization: 0, averageValue: "-1" },
      },
    }),
    "v2 container resource": metric({
      type: "ContainerResource",
      containerResource: { name: "odd", container: "A B", target: { type: "Odd" } },
    }),
    "v2 container resource of a domain": metric({
      type: "ContainerResource",
      containerResource: {
        name: "requests.a.io/b",
        container: "a",
        target: { type: "Utilization", averageUtilization: 5 },
      },
    }),
    "v2 container resource without names": metric({
      type: "ContainerResource",
      containerResource: { target: { type: "Utilization", averageUtilization: 5 } },
    }),
    "v2 pods metric": metric({ type: "Pods", pods: { metric: {}, target: { type: "Value" } } }),
    "v2 object metric": metric({
      type: "Object",
      object: { describedObject: {}, metric: { name: "a/b" }, target: { type: "Value" } },
    }),
    "v2 object metric of odd version": metric({
      type: "Object",
      object: {
        ...object.object,
        describedObject: { apiVersion: "a/b/c", kind: "K", name: "n" },
      },
    }),
    "v2 external metric": metric({
      type: "External",
      external: { metric: { name: "m" }, target: { type: "Value" } },
    }),
    "v2 external metric both ways": metric({
      type: "External",
      external: {
        metric: { name: "m" },
        target: { type: "Value", value: "1", averageValue: "0" },
      },
    }),
    "v2 behavior defaults": v2({ behavior: {} }),
    "v2 behavior": v2({
      behavior: { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 5 }] } },
    }),
    "v2 behavior without policies": v2({
      behavior: { scaleUp: { policies: [] }, scaleDown: { policies: null } },
    }),
    "v2 behavior tolerance": v2({ behavior: { scaleDown: { tolerance: "50m" } } }),
    "v2 behavior wrong": v2({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: -1,
          selectPolicy: "Odd",
          policies: [{ type: "Odd", value: 0, periodSeconds: 0 }],
          tolerance: "-1",
        },
        scaleDown: {
          stabilizationWindowSeconds: 3601,
          policies: [{ type: "Percent", value: 1, periodSeconds: 1801 }],
        },
      },
    }),
    "v2 drops annotations": v2({}, annotations({ metrics: "[]", behavior: "{}", other: "x" })),
    "v2 bad name": v2({}, { name: "A" }),
  }),
  ...createEach(autoscalersV1, {
    "v1 defaults": v1({}),
    "v1 target": v1({ minReplicas: 2, targetCPUUtilizationPercentage: 70 }),
    "v1 target of nothing": v1({ targetCPUUtilizationPercentage: 0 }),
    "v1 negative replicas": v1({ minReplicas: -1, maxReplicas: 0 }),
    "v1 metrics": v1(
      { targetCPUUtilizationPercentage: 70 },
      annotations({
        metrics: JSON.stringify([
          { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
          { type: "Pods", pods: { metricName: "q", targetAverageValue: "5" } },
          {
            type: "Object",
            object: {
              target: { kind: "Service", name: "s" },
              metricName: "m",
              targetValue: "3",
              averageValue: "2",
            },
          },
          {
            type: "Object",
            object: {
              target: { kind: "Service", name: "s" },
              metricName: "m",
              targetValue: "0",
              averageValue: "2",
            },
          },
          { type: "External", external: { metricName: "e", targetValue: "1" } },
          {
            type: "ContainerResource",
            containerResource: { name: "cpu", container: "a", targetAverageUtilization: 1 },
          },
        ]),
      }),
    ),
    "v1 metrics that are none": v1({}, annotations({ metrics: "{" })),
    "v1 metrics that are wrong": v1(
      {},
      annotations({ metrics: '[{"type":"Odd"},{"type":"Pods"}]' }),
    ),
    "v1 behavior": v1(
      {},
      annotations({
        behavior: JSON.stringify({
          ScaleUp: {
            StabilizationWindowSeconds: 3,
            SelectPolicy: "Min",
            Policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 2 }],
          },
          ScaleDown: {
            SelectPolicy: "Max",
            Policies: [{ Type: "Percent", Value: 1, PeriodSeconds: 2 }],
          },
        }),
      }),
    ),
    "v1 behavior without policies": v1(
      {},
      annotations({ behavior: '{"ScaleUp":{"Policies":[]}}' }),
    ),
    "v1 behavior that is none": v1({}, annotations({ behavior: "[]", conditions: "x" })),
  }),
];

const status = {
  currentReplicas: 2,
  desiredReplicas: 3,
  lastScaleTime: "2001-01-01T00:00:00Z",
  observedGeneration: 1,
  conditions: [
    {
      type: "AbleToScale",
      status: "True",
      lastTransitionTime: "2001-01-01T00:00:00Z",
      reason: "R",
      message: "m",
    },
  ],
  currentMetrics: [
    {
      type: "Resource",
      resource: { name: "cpu", current: { averageUtilization: 12, averageValue: "120m" } },
    },
    { type: "Resource", resource: { name: "memory", current: { averageValue: "1Mi" } } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "a", current: { averageUtilization: 4 } },
    },
    { type: "Pods", pods: { metric: { name: "q" }, current: { averageValue: "5" } } },
    {
      type: "Object",
      object: {
        describedObject: { kind: "Service", name: "s" },
        metric: { name: "hits" },
        current: { value: "7" },
      },
    },
    {
      type: "External",
      external: { metric: { name: "queue" }, current: { averageValue: "8" } },
    },
  ],
};

const changed: Case[] = [
  ...afterCreate(autoscalersV2, v2({ metrics: all, behavior: { scaleUp: {} } }), {
    "v2 read as v1": [read(`${autoscalersV1}/x`), table(autoscalersV1), table(autoscalersV2)],
    "v2 update": [
      merge(`${autoscalersV2}/x`, { spec: { maxReplicas: 7 } }),
      merge(`${autoscalersV2}/x`, { spec: { maxReplicas: 0, minReplicas: 3 } }),
      merge(`${autoscalersV2}/x`, { spec: { scaleTargetRef: { apiVersion: "v1" } } }),
      merge(`${autoscalersV2}/x`, { spec: { metrics: null } }),
    ],
    "v2 update to no policies": [
      merge(`${autoscalersV2}/x`, { spec: { behavior: { scaleUp: { policies: [] } } } }),
      merge(`${autoscalersV2}/x`, { spec: { behavior: { scaleUp: { policies: null } } } }),
      apply(`${autoscalersV2}/x`, v2({ behavior: { scaleDown: { policies: [] } } }), {
        manager: "a",
        force: true,
      }),
    ],
    "v2 update through v1": [
      merge(`${autoscalersV1}/x`, { spec: { maxReplicas: 8, targetCPUUtilizationPercentage: 9 } }),
      read(`${autoscalersV2}/x`),
      update(`${autoscalersV1}/x`, v1({})),
      read(`${autoscalersV2}/x`),
    ],
    "v2 status": [
      merge(`${autoscalersV2}/x/status`, { spec: { maxReplicas: 9 }, status }),
      read(`${autoscalersV1}/x`),
      table(autoscalersV2),
      merge(`${autoscalersV1}/x/status`, { status: { currentReplicas: 4 } }),
      read(`${autoscalersV2}/x`),
    ],
    "v2 status negative": [
      merge(`${autoscalersV2}/x/status`, {
        status: {
          currentReplicas: -1,
          desiredReplicas: -1,
          conditions: [{ type: "A", status: "True", observedGeneration: -1 }],
        },
      }),
    ],
    "v2 list through v1": [read(autoscalersV1)],
    "v2 delete": [remove(`${autoscalersV2}/x`)],
    "v2 field selector": [read(`${autoscalersV2}?fieldSelector=spec.maxReplicas%3D5`)],
  }),
  {
    name: "v1 reference that was odd",
    steps: [
      create(
        autoscalersV1,
        v1({ scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "x" } }),
      ),
      merge(`${autoscalersV1}/x`, { spec: { maxReplicas: 6 } }),
      merge(`${autoscalersV1}/x`, { spec: { scaleTargetRef: { kind: "Pod" } } }),
    ],
  },
  {
    name: "apply in both versions",
    steps: [
      apply(`${autoscalersV2}/x`, v2({ metrics: [memory] }), { manager: "a" }),
      apply(`${autoscalersV1}/x`, v1({ maxReplicas: 6 }), { manager: "b", force: true }),
    ],
  },
];

/** Horizontal pod autoscalers in both versions. */
export const autoscaling: Area = { name: "autoscaling", cases: [...created, ...changed] };
