import type { Node, Pod } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pod-resources.ts";
import { NodeInfo } from "../cache/node-info.ts";
import { podInfoOf } from "../cache/pod-info.ts";
import {
  amountOf,
  isExtendedResource,
  isNothing,
  type Resources,
  toResources,
} from "../cache/resources.ts";
import type { NodeResourcesFitArgs } from "../config/plugin-args.ts";
import { action, interest } from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import type { Rejection } from "../framework/rejection.ts";
import { sharesOn, strategyScore } from "./resource-scores.ts";

const name = "NodeResourcesFit";

/** Whether a resource is left to somebody else, e.g. a scheduler extender. */
type Ignores = (resource: string) => boolean;

/**
 * Keeps pods off nodes that lack what they ask for, and prefers nodes by how full they are.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/noderesources/fit.go.
 */
export function nodeResourcesFit(args: NodeResourcesFitArgs): Plugin {
  const { resources } = args.scoringStrategy;
  const scoreShares = strategyScore(args.scoringStrategy);
  const ignores = ignoredResources(args);
  return {
    name,
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
      const wanted = resources.map(({ name: resource }) => {
        if (resource === "cpu") return pod.nonZeroMilliCPU;
        return resource === "memory" ? pod.nonZeroMemory : amountOf(pod.requests, resource);
      });
      return { score: (node) => scoreShares(sharesOn(node, resources, wanted, true)) };
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

/** What of a node isn't enough; not resolvable if even an empty node would be too small. */
function insufficient(
  requests: Resources,
  node: NodeInfo,
  nothing: boolean,
  ignores: Ignores,
): Rejection | undefined {
  let reasons: string[] | undefined;
  let resolvable = true;
  const lacks = (resource: string, wanted: number, used: number, capacity: number): void => {
    if (wanted <= 0 || wanted <= capacity - used) return;
    reasons = [...(reasons ?? []), `Insufficient ${resource}`];
    if (wanted > capacity) resolvable = false;
  };
  if (node.pods.length + 1 > node.allowedPods) reasons = ["Too many pods"];
  if (!nothing) {
    const { requested, allocatable } = node;
    lacks("cpu", requests.milliCPU, requested.milliCPU, allocatable.milliCPU);
    lacks("memory", requests.memory, requested.memory, allocatable.memory);
    const storage = allocatable.ephemeralStorage;
    lacks("ephemeral-storage", requests.ephemeralStorage, requested.ephemeralStorage, storage);
    for (const [resource, wanted] of requests.scalars) {
      if (ignores(resource)) continue;
      const used = requested.scalars.get(resource) ?? 0;
      lacks(resource, wanted, used, allocatable.scalars.get(resource) ?? 0);
    }
  }
  return reasons && { plugin: name, reasons, resolvable };
}

/** Whether an empty node of this kind has room, and has more of something the pod wants than before. */
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

/** Whether a pod on a node asks for less of something that this pod wants. */
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
