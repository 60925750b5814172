import type { Container, Pod } from "#/api/core/v1.ts";
import { hasPodLevel, podRequests } from "#/machinery/pods/pod-resources.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";

/** The score of containers that are killed last. */
const guaranteedScore = -997;
const bestEffortScore = 1000;

/**
 * The OOM score adjustment of a container's processes: the less memory a burstable container requests, the
 * sooner it is killed.
 *
 * Upstream: pkg/kubelet/qos/policy.go.
 */
export function oomScoreAdjustment(
  pod: Pod,
  container: Container,
  memoryCapacityBytes: number,
): number {
  if (isNodeCritical(pod)) return guaranteedScore;
  const qos = podQOSClass(pod);
  if (qos === "Guaranteed") return guaranteedScore;
  if (qos === "BestEffort") return bestEffortScore;
  const share = hasPodLevel(pod, ["requests"]) ? remainingShare(pod) : 0;
  const scoreOf = (bytes: number) =>
    1000 - Math.trunc((1000 * (bytes + share)) / memoryCapacityBytes);
  let score = scoreOf(memoryRequest(container));
  if (isSidecar(pod, container)) {
    const least = Math.min(...pod.spec.containers.map(memoryRequest));
    score = Math.min(score, scoreOf(least));
  }
  if (score < 1000 + guaranteedScore) return 1000 + guaranteedScore;
  return score === bestEffortScore ? score - 1 : score;
}

/** Whether a pod is one that the node cannot do without. */
export function isCritical({ metadata, spec }: Pod): boolean {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  const mirror = metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  const isStatic = source !== undefined && source !== "api";
  return isStatic || mirror || (spec.priority ?? 0) >= 2_000_000_000;
}

function isNodeCritical(pod: Pod): boolean {
  return isCritical(pod) && pod.spec.priorityClassName === "system-node-critical";
}

/** Each container's share of the pod-level request that no container requests. */
function remainingShare(pod: Pod): number {
  const memory = (options: object) => podRequests(pod, options).get("memory")?.value() ?? 0;
  const left =
    memory({ excludeOverhead: true }) - memory({ excludeOverhead: true, skipPodLevel: true });
  const sidecars = (pod.spec.initContainers ?? []).filter((one) => isSidecar(pod, one));
  return Math.max(Math.trunc(left / (pod.spec.containers.length + sidecars.length)), 0);
}

function memoryRequest({ resources }: Container): number {
  return parseQuantity(resources?.requests?.["memory"] ?? "0").value();
}

function isSidecar({ spec }: Pod, { name, restartPolicy }: Container): boolean {
  return restartPolicy === "Always" && (spec.initContainers ?? []).some((one) => one.name === name);
}
