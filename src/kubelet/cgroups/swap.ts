/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go (configureContainerSwapResources). */
import type { Container, Pod } from "#/api/core/v1.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { LinuxContainerResources } from "../cri/sandbox-messages.ts";
import { isCritical } from "./oom-score.ts";

/** The machine's and the configuration's settings for swap. */
export interface SwapSettings {
  readonly cgroupV2: boolean;
  /** Whether the kernel limits the swap of cgroups. */
  readonly swapController: boolean;
  /** `memorySwap.swapBehavior`. */
  readonly swapBehavior: "NoSwap" | "LimitedSwap";
  readonly swapCapacityBytes: number;
  readonly memoryCapacityBytes: number;
}

/** The limit of a container's swap, in the runtime's form. */
export function swapLimit(
  pod: Pod,
  container: Container,
  memoryLimitBytes: number,
  settings: SwapSettings,
): Pick<LinuxContainerResources, "memorySwapLimitInBytes" | "unified"> {
  if (!settings.swapController) return {};
  // With cgroup v1 the limit is that of memory and swap together; 0, without a memory limit, is none.
  if (!settings.cgroupV2) return { memorySwapLimitInBytes: memoryLimitBytes };
  return { unified: { "memory.swap.max": String(swapBytes(pod, container, settings)) } };
}

/** A container of a burstable pod gets the share of the swap that its request has of the memory; others none. */
function swapBytes(pod: Pod, { resources }: Container, settings: SwapSettings): number {
  const { swapBehavior, swapCapacityBytes, memoryCapacityBytes } = settings;
  const request = parseQuantity(resources?.requests?.["memory"] ?? "0").value();
  const limit = parseQuantity(resources?.limits?.["memory"] ?? "0").value();
  if (swapBehavior !== "LimitedSwap" || isCritical(pod)) return 0;
  if (podQOSClass(pod) !== "Burstable" || request === limit) return 0;
  if (memoryCapacityBytes <= 0 || request > memoryCapacityBytes) return 0;
  return Math.trunc((request / memoryCapacityBytes) * swapCapacityBytes);
}
