/** Upstream: cmd/kubelet/app/server.go, pkg/kubelet/cm/container_manager_linux.go. Pure. */
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** Why a kubelet may not start on a machine, for its swap; undefined if it may. */
export function swapProblem(
  { failSwapOn, memorySwap }: Pick<KubeletConfiguration, "failSwapOn" | "memorySwap">,
  { swapBytes, cgroupVersion }: { readonly swapBytes: number; readonly cgroupVersion: 1 | 2 },
): string | undefined {
  if (memorySwap?.swapBehavior === "LimitedSwap" && cgroupVersion !== 2) {
    return "swap feature is enabled and LimitedSwap but it is only supported with cgroupv2";
  }
  if (swapBytes === 0 || !failSwapOn) return undefined;
  return "running with swap on is not supported, please disable swap or set --fail-swap-on flag to false";
}
