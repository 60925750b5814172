import {
  isLongName,
  isPathSegmentName,
  isQualifiedName,
  isShortName,
} from "#/machinery/meta/names.ts";
import type { FieldRule, StructRules } from "../rules/declared-rules.ts";

/**
 * Groups of Pods that are scheduled together, and workloads of such groups.
 *
 * Upstream: staging/src/k8s.io/api/scheduling/v1beta1/types.go, v1alpha3/types.go.
 */

const maxTemplates = 8;
const maxClaims = 4;
/** Limit of a user's priority: higher values are reserved for the system. */
const maxPriority = 1_000_000_000;

const topology: StructRules = {
  fields: { key: { required: true, format: isQualifiedName } },
};
const constraints: StructRules = {
  fields: { topology: { maxItems: 1, items: () => topology } },
};
const disruptionMode: StructRules = { union: ["single", "all"], fields: {} };
const claim: StructRules = {
  union: ["resourceClaimName", "resourceClaimTemplateName"],
  fields: {
    name: { required: true, format: isShortName },
    resourceClaimName: { format: isLongName },
    resourceClaimTemplateName: { format: isLongName },
  },
};
const reference: StructRules = {
  fields: {
    workloadName: { required: true, format: isLongName },
    templateName: { required: true, format: isShortName },
  },
};

/** A policy is `gang` (at least minCount Pods or none) or `basic`. */
const policyWith = (count: string): StructRules => ({
  union: ["basic", "gang"],
  fields: {
    basic: { immutable: true },
    gang: {
      fixedPresence: true,
      struct: () => ({ fields: { [count]: { required: true, minimum: 1 } } }),
    },
  },
});
const podPolicy = policyWith("minCount");
const groupPolicy = policyWith("minGroupCount");

const priorityRules = {
  priorityClassName: { immutable: true, format: isLongName },
  priority: { immutable: true, maximum: maxPriority },
  preemptionPolicy: {
    gate: "PodGroupPreemptionPolicy",
    immutable: true,
    values: ["Never", "PreemptLowerPriority"],
  },
} satisfies Record<string, FieldRule>;

const claims: FieldRule = {
  immutable: true,
  maxItems: maxClaims,
  named: true,
  items: () => claim,
};

const podGroupConstraints: FieldRule = {
  gate: "TopologyAwareWorkloadScheduling",
  immutable: true,
  struct: () => constraints,
};

/** The spec of a group of pods. */
export const podGroupSpec: StructRules = {
  fields: {
    parentCompositePodGroupName: { gate: "CompositePodGroup", immutable: true, format: isLongName },
    workloadRef: { immutable: true, struct: () => reference },
    schedulingPolicy: { struct: () => podPolicy },
    schedulingConstraints: podGroupConstraints,
    resourceClaims: claims,
    disruptionMode: { immutable: true, required: true, struct: () => disruptionMode },
    ...priorityRules,
  },
};

/** The status of a group of Pods, except its conditions. */
export const podGroupStatus: StructRules = {
  fields: {
    resourceClaimStatuses: {
      maxItems: maxClaims,
      named: true,
      items: () => ({ fields: { resourceClaimName: { format: isLongName } } }),
    },
  },
};

/** The spec of a group of groups. */
export const compositePodGroupSpec: StructRules = {
  fields: {
    parentCompositePodGroupName: { immutable: true, format: isLongName },
    workloadRef: { immutable: true, required: true, struct: () => reference },
    schedulingPolicy: { immutable: true, struct: () => groupPolicy },
    schedulingConstraints: { immutable: true, struct: () => constraints },
    disruptionMode: { immutable: true, required: true, struct: () => disruptionMode },
    ...priorityRules,
  },
};

const podGroupTemplate: StructRules = {
  fields: {
    name: { required: true, format: isShortName },
    schedulingPolicy: { struct: () => podPolicy },
    schedulingConstraints: podGroupConstraints,
    resourceClaims: claims,
    disruptionMode: { immutable: true, struct: () => disruptionMode },
    ...priorityRules,
  },
};

const templates = (items: () => StructRules): FieldRule => ({
  maxItems: maxTemplates,
  fixedItems: true,
  named: true,
  items,
});

const compositeTemplate: StructRules = {
  fields: {
    name: { required: true, format: isShortName },
    schedulingPolicy: { struct: () => groupPolicy },
    schedulingConstraints: { immutable: true, struct: () => constraints },
    disruptionMode: { immutable: true, struct: () => disruptionMode },
    ...priorityRules,
    podGroupTemplates: templates(() => podGroupTemplate),
    compositePodGroupTemplates: templates(() => compositeTemplate),
  },
};

/** The spec of a workload. */
export const workloadSpec: StructRules = {
  union: ["podGroupTemplates", "compositePodGroupTemplates"],
  fields: {
    controllerRef: {
      immutable: true,
      struct: () => ({
        fields: {
          apiGroup: { format: isLongName },
          kind: { required: true, format: isPathSegmentName },
          name: { required: true, format: isPathSegmentName },
        },
      }),
    },
    podGroupTemplates: templates(() => podGroupTemplate),
    compositePodGroupTemplates: {
      gate: "CompositePodGroup",
      ...templates(() => compositeTemplate),
    },
  },
};
