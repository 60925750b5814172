/** Upstream: pkg/volume/emptydir/empty_dir.go. */
import { chmod, mkdir } from "node:fs/promises";
import type { EmptyDirVolumeSource, Pod } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import { podCgroupLimits } from "../cgroups/cgroup-limits.ts";

interface EmptyDirOptions {
  readonly mounter: Mounter;
  readonly pod: Pod;
  readonly directory: string;
  /** Memory that all pods may use together (bytes). */
  readonly allocatableMemoryBytes: number;
  /** Whether directories in memory can be kept out of swap. */
  readonly supportsNoswap: () => Promise<boolean>;
}

/** Creates an empty directory, in memory if the medium is. */
export async function ensureEmptyDir(
  source: EmptyDirVolumeSource,
  options: EmptyDirOptions,
): Promise<void> {
  const { mounter, directory } = options;
  const medium = source.medium ?? "";
  const isMemory = medium === "Memory";
  const isHuge = medium === "HugePages" || medium.startsWith("HugePages-");
  if (medium !== "" && !isMemory && !isHuge) {
    throw new Error(`unknown storage medium ${goQuote(medium)}`);
  }
  if (!isMemory && !isHuge) return ensureDirectory(directory);
  const mounted = await mounter.find(directory).catch(() => undefined);
  if (mounted?.type === (isMemory ? "tmpfs" : "hugetlbfs")) return;
  await ensureDirectory(directory);
  if (isMemory) {
    const size = memorySize(source, options);
    const mountOptions = [
      ...(size > 0 ? [`size=${size}`] : []),
      ...((await options.supportsNoswap()) ? ["noswap"] : []),
    ];
    await mounter.mount({
      source: "tmpfs",
      target: directory,
      type: "tmpfs",
      options: mountOptions,
    });
    await chmod(directory, 0o777);
  } else {
    const option = `pagesize=${hugePageSize(medium, options.pod)}`;
    await mounter.mount({
      source: "nodev",
      target: directory,
      type: "hugetlbfs",
      options: [option],
    });
  }
}

async function ensureDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o777);
}

/** The least of the limits of the volume, the pod and all pods. */
function memorySize(
  { sizeLimit }: EmptyDirVolumeSource,
  { pod, allocatableMemoryBytes }: Pick<EmptyDirOptions, "pod" | "allocatableMemoryBytes">,
): number {
  const settings = { cpuCFSQuota: false, cpuPeriodUs: 100_000 };
  const podLimit = podCgroupLimits(pod, settings, -1).memoryBytes ?? 0;
  const volumeLimit = sizeLimit === undefined ? 0 : parseQuantity(sizeLimit).value();
  return [podLimit, volumeLimit].reduce(
    (size, limit) => (limit > 0 && limit <= size ? limit : size),
    allocatableMemoryBytes,
  );
}

/** The page size: the medium's, or the only one that the pod requests. */
function hugePageSize(medium: string, pod: Pod): string {
  if (medium.startsWith("HugePages-")) return mountSize(medium.slice("HugePages-".length));
  const sizes = [...podRequests(pod).keys()].filter((name) => name.startsWith("hugepages-"));
  const [first, ...others] = sizes;
  if (others.length > 0) {
    throw new Error(
      "medium HugePages can be used only if container requests only one huge page size",
    );
  }
  if (first === undefined) {
    throw new Error("hugePages storage requested, but there is no resource request for huge pages");
  }
  return mountSize(first.slice("hugepages-".length));
}

function mountSize(quantity: string): string {
  return `${Math.trunc(parseQuantity(quantity).value() / 2 ** 20)}M`;
}
