/** Upstream: pkg/kubelet/kubelet.go (StartGarbageCollection), pkg/kubelet/eviction. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { logger } from "#/std/log/log.ts";
import { runProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { KubeletFlags } from "../config/flags.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import { planCollection } from "../eviction/container-collection.ts";
import type { Observations } from "../eviction/eviction-state.ts";
import { ImageCollector } from "../eviction/image-collector.ts";
import { type LocalUsage, onDisk } from "../eviction/local-storage.ts";
import { NodeEviction } from "../eviction/node-eviction.ts";
import { parseImageName } from "../images/image-name.ts";
import { LogindShutdown } from "../node/logind-shutdown.ts";
import { readFilesystem } from "../node/machine-facts.ts";
import type { NodeAgent } from "../node/node-agent.ts";
import { NodeShutdown } from "../node/node-shutdown.ts";
import { collectLogs } from "../pods/log-collection.ts";
import type { NodePods } from "../pods/node-pods.ts";
import { removeContainer } from "../pods/sync-pod.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { PodAdmitter } from "../state/pod-services.ts";
import type { Signal } from "../state/thresholds.ts";
import type { PodSummary, StatsProvider } from "../stats/stats-summary.ts";
import type { Machine } from "./open-machine.ts";

export interface EvictionParts {
  readonly flags: KubeletFlags;
  readonly config: KubeletConfiguration;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly node: NodeAgent;
  readonly events: PodEvents;
  pods(): NodePods;
  stats(): StatsProvider;
}

export interface OpenedEviction {
  readonly eviction: NodeEviction;
  readonly admitters: readonly PodAdmitter[];
  /** Why the node isn't ready, if the machine is going down. */
  shutdownProblem(): string | undefined;
  /** Evicts pods and collects garbage until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const log = logger("garbage-collection");
const containersEveryMs = 60_000;
const imagesEveryMs = 5 * 60_000;

/** Puts together what frees the node of what it can't hold. */
export function openEviction(parts: EvictionParts): OpenedEviction {
  const { machine, config, clock, node, events } = parts;
  const images = openImages(parts);
  const eviction = new NodeEviction({
    clock,
    thresholds: machine.capacity.thresholds,
    transitionMs: parseDuration(config.evictionPressureTransitionPeriod),
    maxGracePeriodSeconds: config.evictionMaxPodGracePeriod ?? 0,
    observe: () => observe(parts),
    podStats: () => parts.stats().pods(),
    localUsage: (pod, own) => localUsage(parts, pod, own),
    activePods: () => parts.pods().pods().filter(isActive),
    reclaim: async () => {
      await collectContainers(parts);
      await images.removeUnused();
    },
    evict: (pod, how) => parts.pods().evict(pod, how),
    warnNode: (reason, message) => node.event("Warning", reason, message),
    warnPod: (pod, reason, message) => events.record(pod, { type: "Warning", reason, message }),
    pressureChanged: () => node.refresh(),
  });
  const shutdown = openShutdown(parts);
  const run = async (signal: AbortSignal): Promise<void> => {
    const collecting = (everyMs: number, reason: string) => ({
      clock,
      everyMs,
      firstAfterMs: everyMs,
      failed(error: unknown, inARow: number) {
        log.error(error, "Garbage collection failed");
        // Once may be an accident.
        if (inARow > 1) node.event("Warning", reason, (error as Error).message);
      },
    });
    const containers = collecting(containersEveryMs, "ContainerGCFailed");
    await Promise.all([
      eviction.run(signal),
      shutdown?.run(signal),
      repeat(() => collectContainers(parts), containers, signal),
      repeat(() => images.collect(), collecting(imagesEveryMs, "ImageGCFailed"), signal),
    ]);
  };
  const admitters = shutdown ? [shutdown, eviction] : [eviction];
  return { eviction, admitters, shutdownProblem: () => shutdown?.problem, run };
}

/** Only where pods are given time before the machine goes down. */
function openShutdown({ config, clock, node, pods }: EvictionParts): NodeShutdown | undefined {
  const gracePeriodMs = parseDuration(config.shutdownGracePeriod ?? "0s");
  if (gracePeriodMs === 0) return undefined;
  return new NodeShutdown({
    source: new LogindShutdown(),
    clock,
    gracePeriodMs,
    criticalMs: parseDuration(config.shutdownGracePeriodCriticalPods ?? "0s"),
    activePods: () => pods().pods().filter(isActive),
    evict: (pod, how) => pods().evict(pod, how),
    changed: () => node.refresh(),
  });
}

function openImages({ machine, config, clock, node, pods }: EvictionParts): ImageCollector {
  return new ImageCollector({
    cri: machine.cri,
    clock,
    pods: { allObserved: () => pods().allObserved() },
    imageVolumes: () => pods().pods().flatMap(imageVolumeNames),
    rootDirectory: machine.directories.root,
    policy: {
      highPercent: config.imageGCHighThresholdPercent,
      lowPercent: config.imageGCLowThresholdPercent,
      minAgeMs: parseDuration(config.imageMinimumGCAge),
      maxAgeMs: parseDuration(config.imageMaximumGCAge ?? "0s"),
    },
    warn: (reason, message) => node.event("Warning", reason, message),
  });
}

async function collectContainers({ flags, machine, clock, pods }: EvictionParts): Promise<void> {
  const { runtime } = machine.cri;
  const states = pods();
  const policy = {
    minAgeMs: flags["minimum-container-ttl-duration"],
    maxPerContainer: flags["maximum-dead-containers-per-container"],
    maxContainers: flags["maximum-dead-containers"],
  };
  const observed = states.allObserved();
  const plan = planCollection(observed, states, policy, clock.now());
  const dead = new Set(plan.containers);
  for (const container of observed.flatMap(({ containers }) => containers)) {
    if (dead.has(container.id)) await removeContainer(machine, container);
  }
  for (const podSandboxId of plan.sandboxes) {
    await runtime.StopPodSandbox({ podSandboxId });
    await runtime.RemovePodSandbox({ podSandboxId });
  }
  if (states.isComplete) {
    const { podLogs } = machine.directories;
    await collectLogs({ podLogs, mayRemoveContent: (uid) => states.mayRemoveContent(uid) });
  }
}

async function observe({ machine, stats }: EvictionParts): Promise<Observations> {
  const { facts, directories } = machine;
  const usage = await stats().nodeUsage();
  const images = await stats().imageFilesystem();
  const node = readFilesystem(directories.root);
  const image = readFilesystem(images?.fsId?.mountpoint || directories.root);
  const memory = {
    capacity: facts.memoryBytes,
    available: facts.memoryBytes - usage.memoryWorkingSetBytes,
  };
  const processes = Number(/\d+\/(\d+)/.exec(await readFile("/proc/loadavg", "utf8"))?.[1] ?? 0);
  return new Map<Signal, { available: number; capacity: number }>([
    ["memory.available", memory],
    ["nodefs.available", { available: node.availableBytes, capacity: node.capacityBytes }],
    ["imagefs.available", { available: image.availableBytes, capacity: image.capacityBytes }],
    ["pid.available", { available: facts.maxPids - processes, capacity: facts.maxPids }],
    ...inodes("nodefs.inodesFree", node),
    ...inodes("imagefs.inodesFree", image),
  ]);
}

/** What a pod uses of the local disk: its volumes there, its containers' layers and logs. */
async function localUsage(
  { machine }: EvictionParts,
  pod: Pod,
  stats: PodSummary | undefined,
): Promise<LocalUsage> {
  const uid = pod.metadata.uid ?? "";
  const { directories } = machine;
  const volumes = new Map<string, number>();
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    if (!onDisk(emptyDir)) continue;
    volumes.set(name, await diskUsage(directories.volume(uid, "kubernetes.io/empty-dir", name)));
  }
  const containers = new Map<string, number>();
  for (const { name, rootfs } of stats?.containers ?? []) {
    const logs = await diskUsage(join(directories.podLog(pod), name));
    containers.set(name, logs + ((rootfs as { usedBytes?: number } | undefined)?.usedBytes ?? 0));
  }
  return { volumes, containers };
}

/** Bytes that a directory takes; 0 if it isn't there. */
async function diskUsage(directory: string): Promise<number> {
  try {
    const output = await runProgram("du", ["-s", "-x", "-B", "1", directory]);
    return Number.parseInt(output, 10);
  } catch (error) {
    log.v(4, "No disk usage", { directory, error: (error as Error).message });
    return 0;
  }
}

/** File systems without a fixed number of inodes can't run short of them. */
function inodes(
  signal: Signal,
  { inodes: total, inodesFree }: { inodes: number; inodesFree: number },
): [Signal, { available: number; capacity: number }][] {
  return total === 0 ? [] : [[signal, { available: inodesFree, capacity: total }]];
}

/** In full, as the runtime lists them. */
function imageVolumeNames({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ image }) => {
    if (!image?.reference) return [];
    const { repository, tag, digest } = parseImageName(image.reference);
    return [`${repository}:${tag}`, `${repository}@${digest}`];
  });
}

function isActive({ status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
