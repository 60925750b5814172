/** Upstream: pkg/kubelet/eviction/eviction_manager.go. */
import type { Pod } from "#/api/core/v1.ts";
import { podLimits } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** How much local disk a pod uses, in bytes. */
export interface LocalUsage {
  /** Usage of emptyDir volumes on disk, by name. */
  readonly volumes: ReadonlyMap<string, number>;
  /** Usage of containers' own layers and logs, by name. */
  readonly containers: ReadonlyMap<string, number>;
  /** Usage of the files that the kubelet provides and containers may write, such as /etc/hosts. */
  readonly ownFilesBytes: number;
}

/** Whether a pod has limits of local storage. */
export function limitsLocalStorage({ spec }: Pod): boolean {
  return (
    (spec.volumes ?? []).some(({ emptyDir }) => onDisk(emptyDir) && emptyDir?.sizeLimit) ||
    [...spec.containers, ...(spec.initContainers ?? [])].some(
      ({ resources }) => resources?.limits?.["ephemeral-storage"] !== undefined,
    )
  );
}

/** Why a pod is evicted for its use of local storage; undefined if it is within its limits. */
export function localStorageViolation(pod: Pod, usage: LocalUsage): string | undefined {
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    if (!onDisk(emptyDir) || emptyDir?.sizeLimit === undefined) continue;
    const limit = parseQuantity(emptyDir.sizeLimit);
    if (limit.sign > 0 && (usage.volumes.get(name) ?? 0) > limit.value()) {
      return `Usage of EmptyDir volume ${goQuote(name)} exceeds the limit ${goQuote(limit.toString())}. `;
    }
  }
  const limit = podLimits(pod).get("ephemeral-storage");
  const total = [...usage.volumes.values(), ...usage.containers.values()].reduce(
    (a, b) => a + b,
    usage.ownFilesBytes,
  );
  if (limit !== undefined && total > limit.value()) {
    return `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;
  }
  for (const { name, resources } of pod.spec.containers) {
    const own = parseQuantity(resources?.limits?.["ephemeral-storage"] ?? "0");
    if (!own.isZero && (usage.containers.get(name) ?? 0) > own.value()) {
      return `Container ${name} exceeded its local ephemeral storage limit ${goQuote(own.toString())}. `;
    }
  }
  return undefined;
}

/** The kernel enforces the size of volumes in memory. */
export function onDisk(emptyDir: { medium?: string } | undefined): boolean {
  return emptyDir !== undefined && !emptyDir.medium;
}
