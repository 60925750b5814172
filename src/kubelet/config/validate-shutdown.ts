import { formatDuration, parseDuration } from "#/std/go/duration.ts";
import type { KubeletConfiguration } from "./kubelet-configuration.ts";

/** How long pods have when the node goes down. Upstream: pkg/kubelet/apis/config/validation/validation.go. */
export function validateShutdown(
  config: KubeletConfiguration,
  enabled: (gate: string) => boolean,
): string[] {
  const all = parseDuration(config.shutdownGracePeriod ?? "0s");
  const critical = parseDuration(config.shutdownGracePeriodCriticalPods ?? "0s");
  const byPriority = (config.shutdownGracePeriodByPodPriority ?? []).length > 0;
  const text = (ms: number): string => `{${formatDuration(ms)}}`;
  const errors: string[] = [];
  if (enabled("GracefulNodeShutdown")) {
    if (critical > all) {
      errors.push(
        `shutdownGracePeriodCriticalPods ${text(critical)} must be <= shutdownGracePeriod ${text(all)}`,
      );
    }
    for (const [name, ms] of [
      ["shutdownGracePeriod", all],
      ["shutdownGracePeriodCriticalPods", critical],
    ] as const) {
      if (ms === 0 || ms >= 1000) continue;
      errors.push(`${name} ${text(ms)} must be either zero or otherwise >= 1 sec`);
    }
  } else if (all > 0 || critical > 0) {
    errors.push(
      "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown",
    );
  }
  if (!byPriority) return errors;
  if (!enabled("GracefulNodeShutdownBasedOnPodPriority")) {
    errors.push(
      "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority",
    );
  } else if (all > 0 || critical > 0) {
    errors.push(
      "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time",
    );
  }
  return errors;
}
