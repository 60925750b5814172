/** Upstream: pkg/kubelet/eviction/helpers.go (makeSignalObservations). */
import { readFile } from "node:fs/promises";
import { type FilesystemFacts, type MachineFacts, readFilesystem } from "../node/machine-facts.ts";
import type { Signal } from "../state/thresholds.ts";
import type { StatsProvider } from "../stats/stats-summary.ts";
import type { Observations } from "./eviction-state.ts";

interface NodeSignalsOptions {
  readonly facts: Pick<MachineFacts, "memoryBytes" | "maxPids">;
  /** Directory of the kubelet's own files. */
  readonly rootDirectory: string;
  readonly stats: Pick<StatsProvider, "nodeUsage" | "imageFilesystem">;
}

interface Observation {
  readonly available: number;
  readonly capacity: number;
}

/** The available amount of each resource of the node. */
export async function observeNode(options: NodeSignalsOptions): Promise<Observations> {
  const { facts, rootDirectory, stats } = options;
  const usage = await stats.nodeUsage();
  const images = await stats.imageFilesystem();
  const node = readFilesystem(rootDirectory);
  const image = readFilesystem(images?.fsId?.mountpoint || rootDirectory);
  const memory = {
    capacity: facts.memoryBytes,
    available: facts.memoryBytes - usage.memoryWorkingSetBytes,
  };
  const processes = Number(/\d+\/(\d+)/.exec(await readFile("/proc/loadavg", "utf8"))?.[1] ?? 0);
  return new Map<Signal, Observation>([
    ["memory.available", memory],
    ["nodefs.available", { available: node.availableBytes, capacity: node.capacityBytes }],
    ["imagefs.available", { available: image.availableBytes, capacity: image.capacityBytes }],
    ["pid.available", { available: facts.maxPids - processes, capacity: facts.maxPids }],
    ...inodes("nodefs.inodesFree", node),
    ...inodes("imagefs.inodesFree", image),
  ]);
}

/** File systems without a fixed number of inodes can't run short of them. */
function inodes(
  signal: Signal,
  { inodes: total, inodesFree }: Pick<FilesystemFacts, "inodes" | "inodesFree">,
): [Signal, Observation][] {
  return total === 0 ? [] : [[signal, { available: inodesFree, capacity: total }]];
}
