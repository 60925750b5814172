import type { Node, Pod } from "#/api/core/v1.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { validateLabelName } from "#/machinery/meta/label-selector.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { NodeInfo } from "../cache/node-info.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import {
  amountOf,
  isExtendedResource,
  isNothing,
  type Resources,
  toResources,
} from "../cache/resources.ts";
import type { ArgumentRules } from "../config/plugin-settings.ts";
import { action, interest } from "../framework/cluster-event.ts";
import { type Rejection, reject } from "../framework/rejection.ts";
import type { PluginDeclaration, PluginMethods } from "./shared/plugin-declaration.ts";
import { countedResources, strategyScore } from "./shared/resource-scores.ts";
import {
  completeStrategy,
  type ScoringStrategy,
  validateStrategy,
} from "./shared/scoring-strategy.ts";

const name = "NodeResourcesFit";
const tooManyPods = reject(name, "Too many pods");

interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy: ScoringStrategy;
}

const argumentRules: ArgumentRules<NodeResourcesFitArgs> = {
  complete: (given) => ({ ...given, scoringStrategy: completeStrategy(given.scoringStrategy) }),
  validate({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }, path) {
    const errors = ignoredResources.flatMap((resource, index) =>
      validateLabelName(resource, path.child("ignoredResources").index(index)),
    );
    ignoredResourceGroups.forEach((group, index) => {
      const at = path.child("ignoredResourceGroups").index(index);
      if (group.includes("/")) {
        errors.push(invalid(at, group, "resource group name can't contain '/'"));
      }
      errors.push(...validateLabelName(group, at));
    });
    return [...errors, ...validateStrategy(scoringStrategy, path.child("scoringStrategy"))];
  },
};

/** True if a resource is managed by another program, e.g. a scheduler extender. */
type Ignores = (resource: string) => boolean;

/**
 * Rejects nodes with insufficient resources, and prefers nodes by their utilization.
 *
 * Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export const nodeResourcesFit: PluginDeclaration<NodeResourcesFitArgs> = {
  name,
  weight: 1,
  args: argumentRules,
  make,
};

function make(args: NodeResourcesFitArgs): PluginMethods {
  const { resources } = args.scoringStrategy;
  const scoreNode = strategyScore(args.scoringStrategy);
  const ignores = ignoredResources(args);
  return {
    requeueOn: [
      interest<Pod, Pod>("AssignedPod", action.Delete, (_pod, gone) => {
        return Boolean(gone?.spec.nodeName || gone?.status?.nominatedNodeName);
      }),
      interest<Pod, Node>("Node", action.Add | action.UpdateNodeAllocatable, (pod, before, after) =>
        nodeHelps(pod, before, after, ignores),
      ),
      interest<Pod, Pod>("AssignedPod", action.UpdatePodScaleDown, leavesRoom),
      interest("TargetPod", action.UpdatePodScaleDown),
    ],
    filter({ pod: { requests } }) {
      const nothing = isNothing(requests);
      return { check: (node) => insufficient(requests, node, nothing, ignores) };
    },
    score({ pod }) {
      const wanted = (resource: string): number => {
        if (resource === "cpu") return pod.nonZeroMilliCPU;
        return resource === "memory" ? pod.nonZeroMemory : amountOf(pod.requests, resource);
      };
      const counted = countedResources(resources, wanted, true);
      return { score: (node) => scoreNode(node, counted) };
    },
  };
}

function ignoredResources(args: NodeResourcesFitArgs): Ignores {
  const names = new Set(args.ignoredResources);
  const groups = new Set(args.ignoredResourceGroups);
  if (names.size + groups.size === 0) return () => false;
  return (resource) =>
    isExtendedResource(resource) &&
    (names.has(resource) || groups.has(resource.slice(0, resource.indexOf("/"))));
}

/** The insufficient resources of a node; not resolvable if even an empty node would be too small. */
function insufficient(
  requests: Resources,
  node: NodeInfo,
  nothing: boolean,
  ignores: Ignores,
): Rejection | undefined {
  const { requested, allocatable } = node;
  const isFull = node.pods.length + 1 > node.allowedPods;
  if (nothing) return isFull ? tooManyPods : undefined;
  const fits =
    !isFull &&
    requests.milliCPU <= allocatable.milliCPU - requested.milliCPU &&
    requests.memory <= allocatable.memory - requested.memory &&
    requests.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage;
  if (fits && requests.scalars.size === 0) return undefined;
  return explainInsufficient(requests, node, ignores);
}

function explainInsufficient(
  requests: Resources,
  { requested, allocatable, pods, allowedPods }: NodeInfo,
  ignores: Ignores,
): Rejection | undefined {
  const reasons = pods.length + 1 > allowedPods ? [...tooManyPods.reasons] : [];
  let resolvable = true;
  for (const resource of wantedNames(requests)) {
    const wanted = amountOf(requests, resource);
    const capacity = amountOf(allocatable, resource);
    if (ignores(resource) || wanted <= capacity - amountOf(requested, resource)) continue;
    reasons.push(`Insufficient ${resource}`);
    if (wanted > capacity) resolvable = false;
  }
  return reasons.length === 0 ? undefined : { plugin: name, reasons, resolvable };
}

/** True if the pod would fit on the node if it were empty, and a requested resource has increased. */
function nodeHelps(
  pod: Pod,
  before: Node | undefined,
  after: Node | undefined,
  ignores: Ignores,
): boolean {
  if (after === undefined) return false;
  const { requests } = podInfoOf(pod);
  const now = NodeInfo.of(after);
  if (insufficient(requests, now, isNothing(requests), ignores) !== undefined) return false;
  if (before === undefined) return true;
  const then = NodeInfo.of(before);
  if (now.allowedPods > then.allowedPods) return true;
  return wantedNames(requests).some((resource) => {
    return amountOf(now.allocatable, resource) > amountOf(then.allocatable, resource);
  });
}

/** True if a pod on a node has reduced its request of a resource that this pod requests. */
function leavesRoom(pod: Pod, before: Pod | undefined, after: Pod | undefined): boolean {
  if (!before || !after?.spec.nodeName) return false;
  const then = requestsOf(before);
  const now = requestsOf(after);
  return wantedNames(requestsOf(pod)).some((resource) => {
    return amountOf(then, resource) > amountOf(now, resource);
  });
}

const requestsOf = (pod: Pod): Resources =>
  toResources(podRequests(pod, { useStatus: true, usePodLevelStatus: true }));

function wantedNames(requests: Resources): readonly string[] {
  const names = ["cpu", "memory", "ephemeral-storage", ...requests.scalars.keys()];
  return names.filter((resource) => amountOf(requests, resource) > 0);
}
