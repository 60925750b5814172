/** Upstream: github.com/google/cadvisor/machine, pkg/kubelet/cadvisor. */
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { arch, cpus, networkInterfaces, release } from "node:os";
import { hugePageSizeName } from "../cgroups/linux-resources.ts";

/** Facts about this machine. */
export interface MachineFacts {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly hugePages: readonly { readonly sizeBytes: number; readonly count: number }[];
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** Go's name of the architecture: amd64, arm64. */
  readonly architecture: string;
  readonly maxPids: number;
}

/** Reads the facts from the machine. */
export function readMachineFacts(): MachineFacts {
  const meminfo = read("/proc/meminfo");
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(meminfo)?.[1] ?? 0);
  return {
    cores: cpus().length,
    memoryBytes: kibibytes("MemTotal") * 1024,
    swapBytes: kibibytes("SwapTotal") * 1024,
    hugePages: readHugePages(),
    machineID: read("/etc/machine-id") || read("/var/lib/dbus/machine-id"),
    systemUUID: read("/sys/class/dmi/id/product_uuid") || read("/etc/machine-id"),
    bootID: read("/proc/sys/kernel/random/boot_id"),
    kernelVersion: release(),
    osImage: osImage(read("/etc/os-release")),
    architecture: goArchitectures[arch()] ?? arch(),
    maxPids: Math.min(
      Number(read("/proc/sys/kernel/pid_max") || 32_768),
      Number(read("/proc/sys/kernel/threads-max") || Number.MAX_SAFE_INTEGER),
    ),
  };
}

/** The sizes of huge pages that the kernel has, as limits name them: `2MB`. */
export function hugePageSizes(facts: MachineFacts): string[] {
  return facts.hugePages.map(({ sizeBytes }) => hugePageSizeName(sizeBytes));
}

const goArchitectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

function readHugePages(): MachineFacts["hugePages"] {
  const directory = "/sys/kernel/mm/hugepages";
  try {
    return readdirSync(directory).map((name) => ({
      sizeBytes: Number(/(\d+)kB$/.exec(name)?.[1] ?? 0) * 1024,
      count: Number(read(`${directory}/${name}/nr_hugepages`)),
    }));
  } catch {
    return [];
  }
}

function osImage(release: string): string {
  const pretty = /^PRETTY_NAME=(.*)$/m.exec(release)?.[1] ?? "Linux";
  return pretty.replace(/^"(.*)"$/, "$1");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** Size and use of the file system that a path is on. */
export interface FilesystemFacts {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

export function readFilesystem(path: string): FilesystemFacts {
  const { bsize, blocks, bavail, files, ffree } = statfsSync(path);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    inodes: files,
    inodesFree: ffree,
  };
}

/** Addresses of this machine's interfaces that aren't loopback's. */
export function localAddresses(): { readonly interface: string; readonly address: string }[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
      .map(({ address }) => ({ interface: name, address })),
  );
}

/** The interface of the default route of IPv4. */
export function defaultInterface(): string | undefined {
  for (const line of read("/proc/net/route").split("\n").slice(1)) {
    const [name, destination, , flags = "0"] = line.split("\t");
    if (destination === "00000000" && (Number.parseInt(flags, 16) & 2) !== 0) return name;
  }
  return undefined;
}
