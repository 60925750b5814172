import type { Area, Case } from "../case.ts";
import { createEach } from "./create-each.ts";
import { merge, read } from "./steps.ts";
import { afterCreate, remove, table } from "./workload-steps.ts";

const base = "/apis/scheduling.k8s.io/v1beta1/namespaces/{ns}";
const alpha = "/apis/scheduling.k8s.io/v1alpha3/namespaces/{ns}";
const groups = `${base}/podgroups`;
const workloads = `${base}/workloads`;
const composites = `${alpha}/compositepodgroups`;

const of =
  (apiVersion: string, kind: string) =>
  (spec: object, metadata: object = {}): object => ({
    apiVersion,
    kind,
    metadata: { name: "x", ...metadata },
    spec,
  });
const group = of("scheduling.k8s.io/v1beta1", "PodGroup");
const workload = of("scheduling.k8s.io/v1beta1", "Workload");
const composite = of("scheduling.k8s.io/v1alpha3", "CompositePodGroup");
const basic = { schedulingPolicy: { basic: {} } };
const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
const workloadRef = { workloadName: "w", templateName: "t" };
const nested = (depth: number): object => ({
  name: `d${depth}`,
  ...basic,
  ...(depth === 0
    ? { podGroupTemplates: [{ name: "leaf", ...basic }] }
    : { compositePodGroupTemplates: [nested(depth - 1)] }),
});

const cases: Case[] = [
  ...createEach(groups, {
    group: group(basic),
    "group full": group({
      ...gang,
      workloadRef,
      parentCompositePodGroupName: "p",
      schedulingConstraints: { topology: [{ key: "a.io/zone" }] },
      resourceClaims: [{ name: "c", resourceClaimName: "r" }],
      disruptionMode: { all: {} },
      priority: 5,
      preemptionPolicy: "Never",
    }),
    "group empty": group({}),
    "group both policies": group({ schedulingPolicy: { basic: {}, gang: { minCount: 0 } } }),
    "group gang of minus one": group({ schedulingPolicy: { gang: { minCount: -1 } } }),
    "group parent without workload": group({ ...basic, parentCompositePodGroupName: "A B" }),
    "group odd": group({
      ...basic,
      workloadRef: { workloadName: "A", templateName: "a.b" },
      schedulingConstraints: { topology: [{ key: "a b" }] },
      resourceClaims: [
        { name: "A" },
        { name: "c", resourceClaimName: "R", resourceClaimTemplateName: "s" },
        { name: "c", resourceClaimName: "r" },
        { resourceClaimName: "r" },
      ],
      disruptionMode: { single: {}, all: {} },
      priority: 1000000001,
      preemptionPolicy: "Odd",
    }),
    "group too much": group({
      ...basic,
      schedulingConstraints: { topology: [{ key: "a" }, { key: "b" }] },
      resourceClaims: ["a", "b", "c", "d", "e"].map((name) => ({ name, resourceClaimName: "r" })),
    }),
    "group bad name": group(basic, { name: "A" }),
  }),
  ...afterCreate(groups, group(gang), {
    "group update": [
      merge(`${groups}/x`, { spec: { schedulingPolicy: { gang: { minCount: 3 } } } }),
      merge(`${groups}/x`, { spec: { schedulingPolicy: { gang: null, basic: {} } } }),
      merge(`${groups}/x`, { spec: { workloadRef, priority: 5, priorityClassName: "A" } }),
      merge(`${groups}/x`, { spec: { disruptionMode: { single: null, all: {} } } }),
    ],
    "group status": [
      merge(`${groups}/x/status`, {
        metadata: { labels: { a: "b" } },
        status: {
          conditions: [
            {
              type: "PodGroupInitiallyScheduled",
              status: "True",
              reason: "R",
              message: "",
              lastTransitionTime: "2001-01-01T00:00:00Z",
            },
          ],
        },
      }),
      table(groups),
      merge(`${groups}/x/status`, {
        status: { resourceClaimStatuses: [{ name: "c", resourceClaimName: "A" }] },
      }),
      read(`${alpha}/podgroups/x`),
      remove(`${groups}/x`),
    ],
  }),
  ...createEach(workloads, {
    workload: workload({ podGroupTemplates: [{ name: "t", ...gang }] }),
    "workload empty": workload({}),
    "workload of composites": workload({ compositePodGroupTemplates: [nested(2)] }),
    "workload too deep": workload({ compositePodGroupTemplates: [nested(3)] }),
    "workload of both": workload({
      podGroupTemplates: [{ name: "t", ...basic }],
      compositePodGroupTemplates: [nested(0)],
    }),
    "workload odd": workload({
      controllerRef: { apiGroup: "A", kind: "a/b" },
      podGroupTemplates: [
        { name: "A", ...basic },
        { name: "t", schedulingPolicy: {} },
      ],
    }),
    "workload names": workload({
      compositePodGroupTemplates: [
        { name: "a", ...basic, podGroupTemplates: [{ name: "a", ...basic }] },
        { name: "b", ...basic },
      ],
    }),
    "workload priorities": workload({
      podGroupTemplates: [
        { name: "a", ...basic, priority: 1 },
        { name: "b", ...basic },
      ],
    }),
    "workload priorities of composites": workload({
      compositePodGroupTemplates: [
        { name: "a", ...basic, podGroupTemplates: [{ name: "c", ...basic, priority: 1 }] },
      ],
    }),
    "workload too many": workload({
      podGroupTemplates: Array.from({ length: 9 }, (_, index) => ({ name: `t${index}`, ...basic })),
    }),
  }),
  ...afterCreate(workloads, workload({ podGroupTemplates: [{ name: "t", ...gang }] }), {
    "workload update": [
      merge(`${workloads}/x`, {
        spec: { podGroupTemplates: [{ name: "t", schedulingPolicy: { gang: { minCount: 5 } } }] },
      }),
      merge(`${workloads}/x`, { spec: { podGroupTemplates: [{ name: "u", ...gang }] } }),
      merge(`${workloads}/x`, { spec: { controllerRef: { kind: "Job", name: "j" } } }),
      merge(`${workloads}/x`, {
        spec: { podGroupTemplates: [{ name: "t", ...gang, priority: 4 }] },
      }),
      table(workloads),
    ],
  }),
  ...createEach(composites, {
    composite: composite({ ...basic, workloadRef }),
    "composite empty": composite({}),
    "composite gang": composite({ workloadRef, schedulingPolicy: { gang: { minGroupCount: 0 } } }),
  }),
  ...afterCreate(composites, composite({ ...basic, workloadRef }), {
    "composite update": [
      merge(`${composites}/x`, { spec: { schedulingPolicy: { gang: { minGroupCount: 1 } } } }),
      merge(`${composites}/x`, { spec: { workloadRef: null } }),
      merge(`${composites}/x/status`, { status: { conditions: [{ type: "A" }] } }),
      table(composites),
    ],
  }),
];

/** Feature gates of groups of pods and workloads. */
export const groupFeatures: readonly string[] = [
  "GenericWorkload",
  "CompositePodGroup",
  "TopologyAwareWorkloadScheduling",
  "DRAWorkloadResourceClaims",
];

/** Groups of pods and workloads: kinds that are off by default. */
export const schedulingGroups: Area = {
  name: "scheduling-groups",
  flags: [
    "--runtime-config=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true",
    `--feature-gates=${groupFeatures.map((name) => `${name}=true`).join(",")}`,
    // These plugins add fields to groups.
    "--disable-admission-plugins=Priority,PodGroupProtection",
  ],
  cases,
};
