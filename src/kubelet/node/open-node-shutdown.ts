import { parseDuration } from "#/std/go/duration.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { LogindShutdown } from "./logind-shutdown.ts";
import { NodeShutdown, type NodeShutdownOptions } from "./node-shutdown.ts";

interface OpenNodeShutdownOptions
  extends Pick<NodeShutdownOptions, "clock" | "activePods" | "evict" | "shuttingDown"> {
  readonly config: KubeletConfiguration;
}

/** Undefined unless the configuration gives pods time before the machine shuts down. */
export function openNodeShutdown(options: OpenNodeShutdownOptions): NodeShutdown | undefined {
  const { config, ...rest } = options;
  const gracePeriodMs = parseDuration(config.shutdownGracePeriod ?? "0s");
  if (gracePeriodMs === 0) return undefined;
  const criticalMs = parseDuration(config.shutdownGracePeriodCriticalPods ?? "0s");
  return new NodeShutdown({ ...rest, source: new LogindShutdown(), gracePeriodMs, criticalMs });
}
