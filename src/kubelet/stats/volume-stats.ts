/** Upstream: pkg/kubelet/server/stats/volume_stat_calculator.go, pkg/volume/metrics_{statfs,du}.go. */
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { limitConcurrency } from "#/std/async/limit-concurrency.ts";
import { logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { FilesystemFacts } from "../node/machine-facts.ts";
import type { DiskUsage } from "./disk-usage.ts";
import { measureFilesystem } from "./measure-filesystem.ts";

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
  readonly disk: Pick<DiskUsage, "get">;
  readonly run?: RunProgram;
}

const log = logger("volume-stats");

/** Limit of Pods that are measured at a time. */
const maxAtOnce = 4;

interface Held {
  untilMs: number;
  stats: readonly VolumeStat[];
  isMeasuring: boolean;
}

/**
 * The usage of the volumes of pods. A request returns the last measurement at once, without any for a new Pod, and
 * starts another one when that is too old: a volume that hangs holds up no request.
 */
export class VolumeStats {
  readonly #options: VolumeStatsOptions;
  readonly #held = new Map<string, Held>();
  readonly #inTurn = limitConcurrency(maxAtOnce);

  constructor(options: VolumeStatsOptions) {
    this.#options = options;
  }

  get(pod: Pod): readonly VolumeStat[] {
    const nowMs = this.#options.clock.monotonicMs();
    const uid = pod.metadata.uid ?? "";
    const held = this.#held.get(uid) ?? { untilMs: nowMs, stats: [], isMeasuring: false };
    this.#held.set(uid, held);
    if (nowMs >= held.untilMs && !held.isMeasuring) void this.#measure(pod, uid, held);
    return held.stats;
  }

  async #measure(pod: Pod, uid: string, held: Held): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    held.isMeasuring = true;
    held.stats = await this.#inTurn(() => this.#look(pod, uid));
    held.isMeasuring = false;
    const nowMs = clock.monotonicMs();
    held.untilMs = nowMs + maxAgeMs;
    // A Pod that is not asked for any more has gone.
    for (const [key, { untilMs, isMeasuring }] of this.#held) {
      if (!isMeasuring && untilMs + maxAgeMs < nowMs) this.#held.delete(key);
    }
  }

  async #look(pod: Pod, uid: string): Promise<VolumeStat[]> {
    const { clock, run } = this.#options;
    const stats: VolumeStat[] = [];
    for (const { name, hostPath, image, persistentVolumeClaim, emptyDir } of pod.spec.volumes ??
      []) {
      const path = this.#options.path(uid, name);
      if (path === undefined || path === "" || hostPath || image) continue;
      try {
        const ownFilesystem = persistentVolumeClaim !== undefined || emptyDir?.medium === "Memory";
        const used = ownFilesystem ? {} : await this.#options.disk.get(path);
        const claim = persistentVolumeClaim?.claimName;
        stats.push({
          name,
          ...filesystemStat(await measureFilesystem(path, run), clock.now()),
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
}

function filesystemStat(facts: FilesystemFacts, nowMs: number) {
  const { capacityBytes, availableBytes, inodes, inodesFree } = facts;
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
