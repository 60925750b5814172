import type { NodeAffinity, TopologySpreadConstraint } from "#/api/core/v1.ts";

/**
 * The arguments of plugins, as `pluginConfig` of a KubeSchedulerConfiguration has them, after defaulting.
 *
 * Upstream: kube-scheduler/config/v1/types_pluginargs.go.
 */
export interface PluginArgs {
  readonly DefaultPreemption: DefaultPreemptionArgs;
  readonly DynamicResources: DynamicResourcesArgs;
  readonly InterPodAffinity: InterPodAffinityArgs;
  readonly NodeAffinity: NodeAffinityArgs;
  readonly NodeResourcesBalancedAllocation: NodeResourcesBalancedAllocationArgs;
  readonly NodeResourcesFit: NodeResourcesFitArgs;
  readonly PodTopologySpread: PodTopologySpreadArgs;
  readonly VolumeBinding: VolumeBindingArgs;
}

export interface DefaultPreemptionArgs {
  /** How many nodes are tried at least, as a share of those that might do. */
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

/** Durations as Go writes them. */
export interface DynamicResourcesArgs {
  readonly filterTimeout?: string;
  readonly bindingTimeout?: string;
}

export interface InterPodAffinityArgs {
  /** What a demand of another pod to be near this one counts as a preference, 0…100. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods?: boolean;
}

export interface NodeAffinityArgs {
  /** For all pods of the profile, on top of their own. */
  readonly addedAffinity?: NodeAffinity;
}

export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}

export interface NodeResourcesBalancedAllocationArgs {
  readonly resources: readonly ResourceSpec[];
}

export interface UtilizationShapePoint {
  /** In percent. */
  readonly utilization: number;
  /** 0…10. */
  readonly score: number;
}

export interface ScoringStrategy {
  readonly type: string;
  readonly resources: readonly ResourceSpec[];
  readonly requestedToCapacityRatio?: { readonly shape?: readonly UtilizationShapePoint[] };
}

export interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy: ScoringStrategy;
}

export interface PodTopologySpreadArgs {
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  /** System or List. */
  readonly defaultingType: string;
}

export interface VolumeBindingArgs {
  readonly bindTimeoutSeconds: number;
  readonly shape: readonly UtilizationShapePoint[];
}

const defaultResources: readonly ResourceSpec[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

const weighted = (resources: readonly Partial<ResourceSpec>[] | undefined): ResourceSpec[] =>
  resources === undefined || resources.length === 0
    ? [...defaultResources]
    : resources.map(({ name = "", weight }) => ({ name, weight: weight || 1 }));

type Given<Name extends keyof PluginArgs> = Partial<PluginArgs[Name]>;

/**
 * What is filled in where arguments are missing, by plugin.
 *
 * Upstream: kubernetes/pkg/scheduler/apis/config/v1/defaults.go.
 */
export const defaultArgs: {
  readonly [Name in keyof PluginArgs]: (given: Given<Name>) => PluginArgs[Name];
} = {
  DefaultPreemption: (given) => ({
    ...given,
    minCandidateNodesPercentage: given.minCandidateNodesPercentage ?? 10,
    minCandidateNodesAbsolute: given.minCandidateNodesAbsolute ?? 100,
  }),
  DynamicResources: (given) => ({
    ...given,
    filterTimeout: given.filterTimeout ?? "10s",
    bindingTimeout: given.bindingTimeout ?? "10m0s",
  }),
  InterPodAffinity: (given) => ({
    ...given,
    hardPodAffinityWeight: given.hardPodAffinityWeight ?? 1,
    ignorePreferredTermsOfExistingPods: given.ignorePreferredTermsOfExistingPods ?? false,
  }),
  NodeAffinity: (given) => given,
  NodeResourcesBalancedAllocation: (given) => ({ ...given, resources: weighted(given.resources) }),
  NodeResourcesFit: (given) => ({
    ...given,
    scoringStrategy: {
      ...given.scoringStrategy,
      type: given.scoringStrategy === undefined ? "LeastAllocated" : given.scoringStrategy.type,
      resources: weighted(given.scoringStrategy?.resources),
    },
  }),
  PodTopologySpread: (given) => ({ ...given, defaultingType: given.defaultingType || "System" }),
  VolumeBinding: (given) => ({
    ...given,
    bindTimeoutSeconds: given.bindTimeoutSeconds ?? 600,
    shape: given.shape?.length
      ? given.shape
      : [
          { utilization: 0, score: 10 },
          { utilization: 100, score: 0 },
        ],
  }),
};
