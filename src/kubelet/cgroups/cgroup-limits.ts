import type { Pod } from "#/api/core/v1.ts";
import { hasPodLevel, podLimits, podRequests } from "#/machinery/pods/pod-resources.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { ResourceList } from "#/machinery/values/resource-list.ts";
import { cpuQuota, cpuShares, minShares } from "./cpu-shares.ts";
import type { ResourceSettings } from "./linux-resources.ts";

/** Limits of a cgroup above containers; undefined ones are left unchanged. */
export interface CgroupLimits {
  readonly cpuShares?: number;
  /** CPU time per period (µs); negative for no limit. */
  readonly cpuQuotaUs?: number;
  readonly cpuPeriodUs?: number;
  readonly memoryBytes?: number;
  readonly pids?: number;
  /** By page size in bytes. */
  readonly hugePages?: ReadonlyMap<number, number>;
}

/**
 * The limits of a pod's cgroup.
 *
 * Upstream: pkg/kubelet/cm/helpers_linux.go.
 */
export function podCgroupLimits(
  pod: Pod,
  settings: Pick<ResourceSettings, "cpuCFSQuota" | "cpuPeriodUs">,
  podPidsLimit: number,
): CgroupLimits {
  const requests = podRequests(pod);
  const limits = podLimits(pod);
  const qos = podQOSClass(pod);
  const shared = {
    hugePages: hugePagesOf(requests),
    ...(podPidsLimit > 0 ? { pids: podPidsLimit } : {}),
  };
  if (qos === "BestEffort") return { ...shared, cpuShares: minShares };
  const cpuPeriodUs = settings.cpuPeriodUs;
  const quota = settings.cpuCFSQuota
    ? cpuQuota(limits.get("cpu")?.milliValue() ?? 0, cpuPeriodUs)
    : -1;
  const limited = (name: string) => qos === "Guaranteed" || allLimited(pod, name);
  return {
    ...shared,
    cpuShares: cpuShares(requests.get("cpu")?.milliValue() ?? 0),
    ...(limited("cpu") ? { cpuQuotaUs: quota || -1, cpuPeriodUs } : {}),
    ...(limited("memory") ? { memoryBytes: limits.get("memory")?.value() ?? 0 } : {}),
  };
}

/** Whether each container, or the pod itself, has a limit. */
function allLimited(pod: Pod, name: string): boolean {
  const isSet = (limits: Readonly<Record<string, string>> | undefined) =>
    !parseQuantity(limits?.[name] ?? "0").isZero;
  if (hasPodLevel(pod) && isSet(pod.spec.resources?.limits)) return true;
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return containers.every(({ resources }) => isSet(resources?.limits));
}

/** The limits of the node's cgroup, from the amounts that pods may use. */
export function nodeCgroupLimits(allocatable: ResourceList): CgroupLimits {
  const cpu = allocatable.get("cpu");
  const memory = allocatable.get("memory");
  const pids = allocatable.get("pid");
  return {
    ...(cpu ? { cpuShares: cpuShares(cpu.milliValue()) } : {}),
    ...(memory ? { memoryBytes: memory.value() } : {}),
    ...(pids ? { pids: pids.value() } : {}),
    hugePages: hugePagesOf(allocatable),
  };
}

/** CPU shares of the burstable class: the sum of its pods' requests. */
export function burstableShares(pods: readonly Pod[]): number {
  let milli = 0;
  for (const pod of pods) {
    if (podQOSClass(pod) !== "Burstable") continue;
    milli += podRequests(pod).get("cpu")?.milliValue() ?? 0;
  }
  return cpuShares(milli);
}

function hugePagesOf(list: ResourceList): Map<number, number> {
  const pages = new Map<number, number>();
  for (const [name, quantity] of list) {
    if (!name.startsWith("hugepages-")) continue;
    const size = parseQuantity(name.slice("hugepages-".length)).value();
    pages.set(size, (pages.get(size) ?? 0) + quantity.value());
  }
  return pages;
}
