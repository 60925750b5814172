import { parseDuration } from "#/std/go/duration.ts";
import type { Clock } from "#/std/time/clock.ts";
import { openCgroups } from "../cgroups/cgroup-filesystem.ts";
import type { NodeCgroups } from "../cgroups/node-cgroups.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { Cri } from "../cri/runtime-service.ts";
import type { PodAccess } from "../state/pod-access.ts";
import type { NodeVolumes } from "../volumes/node-volumes.ts";
import type { DiskUsage } from "./disk-usage.ts";
import { CgroupUsage } from "./node-usage.ts";
import { StatsProvider } from "./stats-summary.ts";
import { VolumeStats } from "./volume-stats.ts";

interface OpenStatsOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly config: Pick<KubeletConfiguration, "volumeStatsAggPeriod">;
  readonly cgroups: Pick<NodeCgroups, "path">;
  readonly volumes: Pick<NodeVolumes, "find">;
  readonly pods: PodAccess;
  readonly disk: DiskUsage;
}

/** Statistics of the node, its pods and their volumes. */
export async function openStats(options: OpenStatsOptions): Promise<StatsProvider> {
  const { clock, config, volumes, disk, ...rest } = options;
  return new StatsProvider({
    ...rest,
    clock,
    usage: new CgroupUsage(await openCgroups(), clock),
    startMs: clock.now(),
    volumes: new VolumeStats({
      clock,
      disk,
      maxAgeMs: parseDuration(config.volumeStatsAggPeriod),
      path: (uid, name) => volumes.find(uid, name)?.path,
    }),
  });
}
