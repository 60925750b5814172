/** Upstream: pkg/kubelet/server/stats/volume_stat_calculator.go, pkg/volume/metrics_{statfs,du}.go. */
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { readFilesystem } from "../node/machine-facts.ts";

export interface VolumeStat {
  readonly name: string;
  readonly time: string;
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
}

interface VolumeStatsOptions {
  readonly clock: Clock;
  /** How long a measurement is cached: `volumeStatsAggPeriod`. */
  readonly maxAgeMs: number;
  /** Path of a pod's volume; undefined if it isn't mounted. */
  path(podUID: string, volume: string): string | undefined;
  readonly run?: RunProgram;
}

const log = logger("volume-stats");

/** The usage of the volumes of pods, measured on request and then cached for a while. */
export class VolumeStats {
  readonly #options: VolumeStatsOptions;
  readonly #held = new Map<string, { untilMs: number; stats: readonly VolumeStat[] }>();

  constructor(options: VolumeStatsOptions) {
    this.#options = options;
  }

  async get(pod: Pod): Promise<readonly VolumeStat[]> {
    const { clock, maxAgeMs } = this.#options;
    const uid = pod.metadata.uid ?? "";
    const held = this.#held.get(uid);
    const nowMs = clock.now();
    if (held !== undefined && nowMs < held.untilMs) return held.stats;
    const stats = await this.#look(pod, uid);
    for (const [key, { untilMs }] of this.#held) if (untilMs < nowMs) this.#held.delete(key);
    this.#held.set(uid, { untilMs: nowMs + maxAgeMs, stats });
    return stats;
  }

  async #look(pod: Pod, uid: string): Promise<VolumeStat[]> {
    const stats: VolumeStat[] = [];
    for (const { name, hostPath, image, persistentVolumeClaim, emptyDir } of pod.spec.volumes ??
      []) {
      const path = this.#options.path(uid, name);
      if (path === undefined || path === "" || hostPath || image) continue;
      try {
        const ownFilesystem = persistentVolumeClaim !== undefined || emptyDir?.medium === "Memory";
        const used = ownFilesystem ? {} : await this.#diskUsage(path);
        const claim = persistentVolumeClaim?.claimName;
        stats.push({
          name,
          ...filesystemStat(path, this.#options.clock.now()),
          ...used,
          ...(claim && { pvcRef: { name: claim, namespace: pod.metadata.namespace ?? "" } }),
        });
      } catch (error) {
        log.v(2, "failed to read volume statistics", {
          volume: name,
          error: (error as Error).message,
        });
      }
    }
    return stats;
  }

  /** The usage of a directory that shares its file system with others. */
  async #diskUsage(path: string): Promise<{ usedBytes: number; inodesUsed: number }> {
    const { run = runProgram } = this.#options;
    const [bytes, inodes] = await Promise.all([
      run("du", ["-s", "-x", "-B", "1", path]),
      run("du", ["-s", "-x", "--inodes", path]),
    ]);
    return { usedBytes: Number.parseInt(bytes, 10), inodesUsed: Number.parseInt(inodes, 10) };
  }
}

function filesystemStat(path: string, nowMs: number) {
  const { capacityBytes, availableBytes, inodes, inodesFree } = readFilesystem(path);
  return {
    time: formatTime(nowMs),
    availableBytes,
    capacityBytes,
    usedBytes: capacityBytes - availableBytes,
    inodesFree,
    inodes,
    inodesUsed: inodes - inodesFree,
  };
}

/** The metrics of claims' volumes, for /metrics. */
export function volumeMetrics(stats: readonly VolumeStat[]): string {
  const claims = stats.filter(({ pvcRef }) => pvcRef !== undefined);
  const families: readonly [string, string, (stat: VolumeStat) => number][] = [
    ["available_bytes", "Number of available bytes in the volume", (one) => one.availableBytes],
    ["capacity_bytes", "Capacity in bytes of the volume", (one) => one.capacityBytes],
    ["inodes", "Maximum number of inodes in the volume", (one) => one.inodes],
    ["inodes_free", "Number of free inodes in the volume", (one) => one.inodesFree],
    ["inodes_used", "Number of used inodes in the volume", (one) => one.inodesUsed],
    ["used_bytes", "Number of used bytes in the volume", (one) => one.usedBytes],
  ];
  if (claims.length === 0) return "";
  return families
    .map(([suffix, help, pick]) => {
      const name = `kubelet_volume_stats_${suffix}`;
      const lines = claims.map((one) => {
        const { namespace = "", name: claim = "" } = one.pvcRef ?? {};
        return `${name}{namespace="${namespace}",persistentvolumeclaim="${claim}"} ${pick(one)}\n`;
      });
      return `# HELP ${name} [ALPHA] ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
    })
    .join("");
}
