/** Upstream: k8s.io/kubelet/pkg/apis/stats/v1alpha1/types.go, pkg/kubelet/stats/cri_stats_provider.go. */
import type { Pod } from "#/api/core/v1.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import type { ContainerStats, FilesystemUsage, PodSandboxStats } from "../cri/stats-messages.ts";
import { defaultInterface, type FilesystemFacts, readFilesystem } from "../node/machine-facts.ts";
import type { PodAccess } from "../state/pod-access.ts";
import { type CgroupUsage, readInterfaces, type Usage } from "./node-usage.ts";
import type { VolumeStat, VolumeStats } from "./volume-stats.ts";

const log = logger("stats");

interface StatsOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly usage: CgroupUsage;
  readonly pods: Pick<PodAccess, "pods" | "findByUID" | "observed">;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly cgroups: {
    /** Path of the cgroup of a pod, or of the one above all pods. */
    path(pod?: Pod): string;
  };
  readonly startMs: number;
  readonly volumes: VolumeStats;
}

export interface CpuStats {
  readonly time: string;
  readonly usageNanoCores: number;
  readonly usageCoreNanoSeconds: number;
}

export interface MemoryStats {
  readonly time: string;
  readonly usageBytes: number;
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
}

interface ContainerSummary {
  readonly name: string;
  readonly startTime: string;
  readonly cpu: CpuStats;
  readonly memory: MemoryStats;
  readonly rootfs?: object;
  readonly logs?: object;
}

export interface PodSummary {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: string;
  readonly containers: readonly ContainerSummary[];
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly network?: object;
  readonly volume?: readonly VolumeStat[];
  readonly process_stats?: { readonly process_count: number };
}

export interface Summary {
  readonly node: {
    readonly nodeName: string;
    readonly startTime: string;
    readonly cpu: CpuStats;
    readonly memory: MemoryStats & { readonly availableBytes?: number };
    readonly [name: string]: unknown;
  };
  readonly pods: readonly PodSummary[];
}

const requestMs = 30_000;

/** Statistics of the node and its pods. */
export class StatsProvider {
  readonly #options: StatsOptions;

  constructor(options: StatsOptions) {
    this.#options = options;
  }

  /** All statistics. */
  async full(): Promise<Summary> {
    const { node, pods } = await this.summary();
    return { node, pods: pods.map((pod) => this.#withVolumes(pod)) };
  }

  /** All statistics but those of volumes, which take longer to read. */
  async summary(): Promise<Summary> {
    const [node, pods] = await Promise.all([this.#node(), this.pods()]);
    return { node, pods };
  }

  /** Statistics of the volumes of pods that use claims. */
  volumes(): VolumeStat[] {
    const { pods, volumes } = this.#options;
    const claiming = pods
      .pods()
      .filter(({ spec }) => spec.volumes?.some((one) => one.persistentVolumeClaim !== undefined));
    return claiming.flatMap((pod) => volumes.get(pod));
  }

  #withVolumes(summary: PodSummary): PodSummary {
    const pod = this.#options.pods.findByUID(summary.podRef.uid);
    if (pod === undefined) return summary;
    return { ...summary, volume: this.#options.volumes.get(pod) };
  }

  async #node(): Promise<Summary["node"]> {
    const { usage, clock, nodeName, rootDirectory, startMs, cgroups } = this.#options;
    const [all, pods, images, interfaces] = await Promise.all([
      this.nodeUsage(),
      usage.read(cgroups.path()),
      this.imageFilesystem(),
      readInterfaces(),
    ]);
    const time = formatTime(clock.now());
    const leading = defaultInterface();
    const first = interfaces.find(({ name }) => name === leading) ?? interfaces[0];
    const image = readFilesystem(images?.fsId?.mountpoint || rootDirectory);
    return {
      nodeName,
      startTime: formatTime(startMs),
      systemContainers: [
        { name: "pods", startTime: formatTime(startMs), cpu: cpuOf(pods), memory: memoryOf(pods) },
      ],
      cpu: cpuOf(all),
      memory: memoryOf(all),
      network: { time, ...first, interfaces },
      fs: filesystemOf(readFilesystem(rootDirectory), time),
      runtime: {
        imageFs: {
          ...filesystemOf(image, time),
          usedBytes: images?.usedBytes?.value ?? 0,
        },
      },
    };
  }

  /** The usage of the whole machine. */
  nodeUsage(): Promise<Usage> {
    return this.#options.usage.read("/");
  }

  /** The file system of the runtime's images; undefined if the runtime doesn't report it. */
  async imageFilesystem(): Promise<FilesystemUsage | undefined> {
    try {
      const info = await this.#options.cri.images.ImageFsInfo({}, { timeoutMs: requestMs });
      return info.imageFilesystems[0];
    } catch (error) {
      log.error(error, "failed to read image file system info");
      return undefined;
    }
  }

  async pods(): Promise<PodSummary[]> {
    const { cri } = this.#options;
    try {
      const { stats } = await cri.runtime.ListPodSandboxStats({}, { timeoutMs: requestMs });
      return stats.flatMap((one) => this.#pod(one));
    } catch (error) {
      log.v(4, "sandbox statistics not available", { error });
      const { stats } = await cri.runtime.ListContainerStats({}, { timeoutMs: requestMs });
      const running = stats.filter(({ cpu }) => (cpu?.timestamp ?? 0) > 0);
      return Promise.all(this.#podsOf(running).map((pod) => this.#withCgroup(pod)));
    }
  }

  #pod({ attributes, linux }: PodSandboxStats): PodSummary[] {
    const { name = "", namespace = "", uid = "" } = attributes?.metadata ?? {};
    const observed = this.#options.pods.observed(uid);
    const sandbox = observed?.sandboxes.find(({ id }) => id === attributes?.id);
    if (sandbox !== undefined && !sandbox.ready) return [];
    const time = (nanoseconds: number | undefined) => formatTime((nanoseconds ?? 0) / 1e6);
    const network = linux?.network;
    return [
      {
        podRef: { name, namespace, uid },
        startTime: formatTime(sandbox?.createdAtMs ?? 0),
        containers: (linux?.containers ?? []).map((one) => this.#container(one, uid)),
        ...(linux?.cpu && { cpu: cpuStats(linux.cpu, time(linux.cpu.timestamp)) }),
        ...(linux?.memory && { memory: memoryStats(linux.memory, time(linux.memory.timestamp)) }),
        ...(network && {
          network: {
            time: time(network.timestamp),
            ...(network.defaultInterface && interfaceOf(network.defaultInterface)),
            interfaces: allInterfaces(network).map(interfaceOf),
          },
        }),
        ...(linux?.process?.processCount && {
          process_stats: { process_count: linux.process.processCount.value },
        }),
      },
    ];
  }

  /** Statistics of the pod as a whole, which a runtime with statistics of containers only doesn't report. */
  async #withCgroup(summary: PodSummary): Promise<PodSummary> {
    const { pods, usage, cgroups } = this.#options;
    const pod = pods.findByUID(summary.podRef.uid);
    if (pod === undefined) return summary;
    const used = await usage.read(cgroups.path(pod));
    return { ...summary, cpu: cpuOf(used), memory: memoryOf(used) };
  }

  #podsOf(stats: readonly ContainerStats[]): PodSummary[] {
    const pods = new Map<string, PodSummary & { containers: ContainerSummary[] }>();
    for (const one of stats) {
      const labels = one.attributes?.labels ?? {};
      const label = (name: string) => (labels as Record<string, string>)[name] ?? "";
      const uid = label("io.kubernetes.pod.uid");
      const podRef = {
        name: label("io.kubernetes.pod.name"),
        namespace: label("io.kubernetes.pod.namespace"),
        uid,
      };
      const observed = this.#options.pods.observed(uid);
      const pod = pods.get(uid) ?? {
        podRef,
        startTime: formatTime(observed?.sandboxes[0]?.createdAtMs ?? 0),
        containers: [],
      };
      pod.containers.push(this.#container(one, uid));
      pods.set(uid, pod);
    }
    return [...pods.values()];
  }

  #container({ attributes, cpu, memory, writableLayer }: ContainerStats, uid: string) {
    const observed = this.#options.pods.observed(uid);
    const started = observed?.containers.find(({ id }) => id === attributes?.id)?.startedAtMs ?? 0;
    const time = formatTime((cpu?.timestamp ?? memory?.timestamp ?? 0) / 1e6);
    return {
      name: attributes?.metadata?.name ?? "",
      startTime: formatTime(started),
      cpu: cpuStats(cpu, time),
      memory: memoryStats(memory, time),
      ...(writableLayer && {
        rootfs: {
          time,
          usedBytes: writableLayer.usedBytes?.value ?? 0,
          inodesUsed: writableLayer.inodesUsed?.value ?? 0,
        },
      }),
    };
  }
}

function cpuOf({ timeMs, cpuNanoCores, cpuNanoseconds }: Usage): CpuStats {
  return {
    time: formatTime(timeMs),
    usageNanoCores: cpuNanoCores,
    usageCoreNanoSeconds: cpuNanoseconds,
  };
}

function memoryOf(usage: Usage): MemoryStats {
  return {
    time: formatTime(usage.timeMs),
    usageBytes: usage.memoryUsageBytes,
    workingSetBytes: usage.memoryWorkingSetBytes,
    rssBytes: usage.memoryRssBytes,
    pageFaults: usage.pageFaults,
    majorPageFaults: usage.majorPageFaults,
  };
}

function cpuStats(cpu: ContainerStats["cpu"], time: string): CpuStats {
  return {
    time,
    usageNanoCores: cpu?.usageNanoCores?.value ?? 0,
    usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds?.value ?? 0,
  };
}

function memoryStats(memory: ContainerStats["memory"], time: string): MemoryStats {
  return {
    time,
    usageBytes: memory?.usageBytes?.value ?? 0,
    workingSetBytes: memory?.workingSetBytes?.value ?? 0,
    rssBytes: memory?.rssBytes?.value ?? 0,
    pageFaults: memory?.pageFaults?.value ?? 0,
    majorPageFaults: memory?.majorPageFaults?.value ?? 0,
  };
}

type NetworkUsage = NonNullable<NonNullable<PodSandboxStats["linux"]>["network"]>;

/** All of a pod's interfaces; some runtimes list the default one twice. */
function allInterfaces({ defaultInterface: first, interfaces }: NetworkUsage) {
  const others = interfaces.filter(({ name }) => name !== first?.name);
  return first ? [first, ...others] : others;
}

function interfaceOf(one: NonNullable<NetworkUsage["defaultInterface"]>) {
  return {
    name: one.name,
    rxBytes: one.rxBytes?.value ?? 0,
    rxErrors: one.rxErrors?.value ?? 0,
    txBytes: one.txBytes?.value ?? 0,
    txErrors: one.txErrors?.value ?? 0,
  };
}

function filesystemOf(facts: FilesystemFacts, time: string) {
  return {
    time,
    availableBytes: facts.availableBytes,
    capacityBytes: facts.capacityBytes,
    usedBytes: facts.capacityBytes - facts.availableBytes,
    inodesFree: facts.inodesFree,
    inodes: facts.inodes,
    inodesUsed: facts.inodes - facts.inodesFree,
  };
}
