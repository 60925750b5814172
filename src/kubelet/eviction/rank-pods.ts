/** Upstream: pkg/kubelet/eviction/helpers.go. */
import type { Pod } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, quantityOf } from "#/machinery/values/quantity.ts";
import { type Threshold, thresholdBytes } from "../state/thresholds.ts";
import type { PodSummary } from "../stats/stats-summary.ts";
import type { Observation } from "./eviction-state.ts";

/** A pod's usage of the resource that is short; undefined if there are no statistics. */
type PodUsage = (pod: Pod) => number | undefined;

/**
 * The order of eviction: pods above their requests first, then lower priority, then greater excess over the request.
 */
export function rankPods(pods: readonly Pod[], resource: string, usage: PodUsage): Pod[] {
  const excess = (pod: Pod) => {
    const used = usage(pod);
    const asked = podRequests(pod).get(resource)?.value() ?? 0;
    return used === undefined ? Number.POSITIVE_INFINITY : used - asked;
  };
  const rank = (pod: Pod) => ({ pod, excess: excess(pod), priority: pod.spec.priority ?? 0 });
  return pods
    .map(rank)
    .sort(
      (a, b) =>
        Number(b.excess > 0) - Number(a.excess > 0) ||
        a.priority - b.priority ||
        b.excess - a.excess,
    )
    .map(({ pod }) => pod);
}

/** The message of a pod that is evicted. */
export function evictionMessage(
  pod: Pod,
  resource: string,
  threshold: Threshold,
  { observation, stats }: { observation: Observation | undefined; stats: PodSummary | undefined },
): string {
  let message = `The node was low on resource: ${resource}. `;
  if (observation !== undefined) {
    const bytes = thresholdBytes(threshold.value, observation.capacity);
    const limit = threshold.value.quantity ?? quantityOf(bytes, "BinarySI");
    const available = quantityOf(observation.available, "BinarySI");
    message += `Threshold quantity: ${limit}, available: ${available}. `;
  }
  const specs = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  for (const { name, memory, rootfs } of stats?.containers ?? []) {
    const spec = specs.find((one) => one.name === name);
    if (spec === undefined) continue;
    const request = parseQuantity(spec.resources?.requests?.[resource] ?? "0");
    const disk = (rootfs as { usedBytes?: number } | undefined)?.usedBytes;
    const used = resource === "memory" ? memory.workingSetBytes : disk;
    if (used === undefined || used <= request.value()) continue;
    const usage = quantityOf(used, "BinarySI");
    message += `Container ${name} was using ${usage}, request is ${request}, has larger consumption of ${resource}. `;
  }
  return message;
}
