import type { Container, Pod } from "#/api/core/v1.ts";
import { hasPodLevel, podLimits, podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { LinuxContainerResources } from "../cri/sandbox-messages.ts";
import type { SandboxResources } from "../state/pod-services.ts";
import { cpuQuota, cpuShares, quotaPeriod } from "./cpu-shares.ts";
import { oomScoreAdjustment } from "./oom-score.ts";
import { type SwapSettings, swapLimit } from "./swap.ts";

/** The machine's and the configuration's settings for resources of containers. */
export interface ResourceSettings extends SwapSettings {
  /** Whether CPU limits are enforced. */
  readonly cpuCFSQuota: boolean;
  /** Microseconds. */
  readonly cpuPeriodUs: number;
  /** Page sizes of the kernel: `2MB`, `1GB`. */
  readonly hugePageSizes: readonly string[];
  /** On cgroup v2, whether all processes of a container are killed if one is killed for memory. */
  readonly oomKillsContainer: boolean;
}

/**
 * Requests and limits of a container, in the runtime's form.
 *
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go.
 */
export function containerLinuxResources(
  pod: Pod,
  container: Container,
  settings: ResourceSettings,
): LinuxContainerResources {
  const podLevel = hasPodLevel(pod) ? pod.spec.resources?.limits : undefined;
  const limit = (name: string) => {
    const own = parseQuantity(container.resources?.limits?.[name] ?? "0");
    return own.isZero ? parseQuantity(podLevel?.[name] ?? "0") : own;
  };
  const request = container.resources?.requests?.["cpu"];
  const milliRequest =
    request === undefined ? limit("cpu").milliValue() : parseQuantity(request).milliValue();
  const amounts = {
    milliRequest,
    milliLimit: limit("cpu").milliValue(),
    memoryLimit: limit("memory").value(),
  };
  const resources = linuxResources(amounts, settings);
  const swap = swapLimit(pod, container, amounts.memoryLimit, settings);
  return {
    ...resources,
    ...swap,
    oomScoreAdj: oomScoreAdjustment(pod, container, settings.memoryCapacityBytes),
    hugepageLimits: hugePageLimits({ ...podLevel, ...container.resources?.limits }, settings),
    ...(settings.cgroupV2
      ? { unified: { ...resources.unified, ...swap.unified, "memory.high": "max" } }
      : {}),
  };
}

/** Resources of a pod as a whole and its overhead, for the sandbox. */
export function sandboxLinuxResources(pod: Pod, settings: ResourceSettings): SandboxResources {
  const requests = podRequests(pod, { excludeOverhead: true });
  const limits = podLimits(pod, { excludeOverhead: true });
  const milliLimit = limits.get("cpu")?.milliValue() ?? 0;
  const memoryLimit = limits.get("memory")?.value() ?? 0;
  const milliRequest = requests.get("cpu")?.milliValue() ?? milliLimit;
  const cpu = parseQuantity(pod.spec.overhead?.["cpu"] ?? "0").milliValue();
  const memory = parseQuantity(pod.spec.overhead?.["memory"] ?? "0").value();
  const overhead = { milliRequest: cpu, milliLimit: cpu, memoryLimit: memory };
  return {
    resources: linuxResources({ milliRequest, milliLimit, memoryLimit }, settings),
    overhead: pod.spec.overhead === undefined ? {} : linuxResources(overhead, settings),
  };
}

interface Amounts {
  readonly milliRequest: number;
  readonly milliLimit: number;
  readonly memoryLimit: number;
}

function linuxResources(
  { milliRequest, milliLimit, memoryLimit }: Amounts,
  { cpuCFSQuota, cpuPeriodUs, cgroupV2, oomKillsContainer }: ResourceSettings,
): LinuxContainerResources {
  const cpuPeriod = cpuPeriodUs || quotaPeriod;
  return {
    cpuShares: cpuShares(milliRequest),
    memoryLimitInBytes: memoryLimit,
    ...(cpuCFSQuota ? { cpuPeriod, cpuQuota: cpuQuota(milliLimit, cpuPeriod) } : {}),
    ...(cgroupV2 && oomKillsContainer ? { unified: { "memory.oom.group": "1" } } : {}),
  };
}

/** The container's limit for each page size, 0 where it has none. */
function hugePageLimits(
  limits: Readonly<Record<string, string>>,
  { hugePageSizes }: ResourceSettings,
) {
  const limitBySize = new Map<string, number>();
  for (const [name, amount] of Object.entries(limits)) {
    if (!name.startsWith("hugepages-")) continue;
    const bytes = parseQuantity(name.slice("hugepages-".length)).value();
    limitBySize.set(hugePageSizeName(bytes), parseQuantity(amount).value());
  }
  return hugePageSizes.map((pageSize) => ({ pageSize, limit: limitBySize.get(pageSize) ?? 0 }));
}

/** A page size in the notation of the kernel's files: `2MB`. */
export function hugePageSizeName(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB", "PB"];
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${size}${units[unit]}`;
}
