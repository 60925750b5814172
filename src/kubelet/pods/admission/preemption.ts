/** Upstream: pkg/kubelet/preemption/preemption.go. Pure. */
import type { Pod } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import type { Eviction } from "../../state/pod-services.ts";
import { isMirrorPod, isStaticPod } from "../../state/static-pods.ts";

/** The missing resources of a node for a pod; CPU in millicores. */
interface Shortage {
  readonly resource: string;
  readonly amount: number;
}

/** Least priority of system pods. */
const systemCriticalPriority = 2_000_000_000;

/** Whether a pod is critical for the node. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec.priority ?? 0) >= systemCriticalPriority;
}

/** Reason, message and condition of a pod that is preempted for a critical one. */
export function preemption({ metadata }: Pod): Eviction {
  return {
    reason: "Preempting",
    message: "Preempted in order to admit critical pod",
    condition: {
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message: "Pod was preempted by Kubelet to accommodate a critical pod.",
      ...(metadata.generation && { observedGeneration: metadata.generation }),
    },
  };
}

/**
 * The pods to preempt for a critical pod: as few of the better QoS classes as possible. Undefined if that is not
 * enough.
 */
export function podsToPreempt(
  pod: Pod,
  shortages: readonly Shortage[],
  others: readonly Pod[],
): readonly Pod[] | undefined {
  const below = others.filter((other) => isPreemptable(pod, other));
  if (reduce(shortages, below).length > 0) return undefined;
  const ofClass = (name: string): Pod[] => below.filter((one) => podQOSClass(one) === name);
  const [bestEffort, burstable, guaranteed] = [
    ofClass("BestEffort"),
    ofClass("Burstable"),
    ofClass("Guaranteed"),
  ];
  const fromGuaranteed = pick(guaranteed, reduce(shortages, [...bestEffort, ...burstable]));
  const fromBurstable = pick(burstable, reduce(shortages, [...bestEffort, ...fromGuaranteed]));
  const fromBestEffort = pick(bestEffort, reduce(shortages, [...fromBurstable, ...fromGuaranteed]));
  return [...fromBestEffort, ...fromBurstable, ...fromGuaranteed];
}

function isPreemptable(pod: Pod, other: Pod): boolean {
  if (isCriticalPod(pod) && !isCriticalPod(other)) return true;
  const [own, its] = [pod.spec.priority, other.spec.priority];
  return own !== undefined && its !== undefined && own > its;
}

function requestOf(pod: Pod, resource: string): number {
  if (resource === "pods") return 1;
  const quantity = podRequests(pod).get(resource);
  if (!quantity) return 0;
  return resource === "cpu" ? quantity.milliValue() : quantity.value();
}

/** The resources that are still missing without these pods. */
function reduce(shortages: readonly Shortage[], gone: readonly Pod[]): readonly Shortage[] {
  return shortages
    .map(({ resource, amount }) => ({
      resource,
      amount: gone.reduce((left, pod) => left - requestOf(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0);
}

/** Picks the pod closest to the missing amount, one after another; of equals the one with the smaller request. */
function pick(candidates: readonly Pod[], shortages: readonly Shortage[]): readonly Pod[] {
  const [best] = candidates.toSorted(
    (a, b) =>
      distance(a, shortages) - distance(b, shortages) ||
      requestOf(a, "memory") - requestOf(b, "memory") ||
      requestOf(a, "cpu") - requestOf(b, "cpu"),
  );
  if (shortages.length === 0 || best === undefined) return [];
  const rest = candidates.filter((one) => one !== best);
  return [best, ...pick(rest, reduce(shortages, [best]))];
}

function distance(pod: Pod, shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { resource, amount }) => {
    const left = amount - requestOf(pod, resource);
    return left > 0 ? sum + (left / amount) ** 2 : sum;
  }, 0);
}
