import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { release } from "node:os";
import { loadModule } from "#/std/kernel/kernel-changes.ts";

/** Why a cluster can't run here, each with a remedy. */
export class PreflightError extends Error {
  override readonly name = "PreflightError";
  constructor(problems: readonly string[]) {
    super(["a cluster can't run here:", ...problems].join("\n  - "));
  }
}

/** The input of the checks, so that tests can replace it. */
export interface Machine {
  readonly uid: number;
  readonly kernel: string;
  readonly filesystems: string;
  readonly mounts: string;
  /** Whether the kernel can balance connections by itself. */
  readonly hasIpvs: boolean;
  readonly hasIpv6: boolean;
}

/** What a cluster needs of a machine besides. */
interface Needs {
  readonly proxyMode: string;
  /** Whether its Pods have addresses of IPv6. */
  readonly ipv6: boolean;
}

/** The oldest supported kernel: nftables' maps of concatenated keys are the newest feature needed. */
const oldestKernel = [5, 4] as const;
const neededControllers = ["cpu", "memory", "pids"];

/** The state of this machine, with the modules that it needs loaded if possible. */
export async function thisMachine(proxyMode: string): Promise<Machine> {
  const read = (path: string): Promise<string> => readFile(path, "utf8");
  // The check below detects whether this has worked.
  if (!overlay.test(await read("/proc/filesystems"))) await loadModule("overlay");
  if (proxyMode === "ipvs") await loadModule("ip_vs");
  return {
    hasIpvs: existsSync("/proc/net/ip_vs"),
    hasIpv6: existsSync("/proc/net/if_inet6"),
    uid: process.getuid?.() ?? -1,
    kernel: release(),
    filesystems: await read("/proc/filesystems"),
    mounts: await read("/proc/mounts"),
  };
}

const overlay = /\boverlay$/m;

/** The problems of a machine, each with a remedy. */
export function machineProblems(machine: Machine, { proxyMode, ipv6 }: Needs): string[] {
  const { uid, kernel, filesystems, mounts } = machine;
  const problems: string[] = [];
  if (uid !== 0) problems.push("containers need root: run it as root, or with sudo");
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  const [wantedMajor, wantedMinor] = oldestKernel;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    problems.push(`the kernel is ${kernel}, but ${oldestKernel.join(".")} or newer is needed`);
  }
  if (!overlay.test(filesystems)) {
    problems.push("the kernel has no overlayfs: load it with `modprobe overlay`");
  }
  if (proxyMode === "ipvs" && !machine.hasIpvs) {
    problems.push(
      "the kernel has no ipvs: load it with `modprobe ip_vs`, or choose --proxy-mode=nftables",
    );
  }
  if (ipv6 && !machine.hasIpv6) {
    problems.push(
      "the kernel has no IPv6: start it without ipv6.disable=1, or leave IPv6 out of --pod-network-cidr",
    );
  }
  const missing = missingControllers(mounts);
  if (missing.length > 0) {
    problems.push(
      `cgroups are not mounted (missing: ${missing.join(", ")}); mount cgroup2 on /sys/fs/cgroup`,
    );
  }
  return problems;
}

function missingControllers(mounts: string): string[] {
  const fields = mounts.split("\n").map((line) => line.split(" "));
  if (fields.some(([, path, type]) => path === "/sys/fs/cgroup" && type === "cgroup2")) return [];
  const mounted = fields
    .filter(([, , type]) => type === "cgroup")
    .flatMap(([, , , options = ""]) => options.split(","));
  return neededControllers.filter((controller) => !mounted.includes(controller));
}

/** Why a port can't be listened on; undefined if it can. */
export function portProblem(port: number, purpose: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === "EADDRINUSE"
          ? `port ${port} (${purpose}) is taken by another program`
          : `port ${port} (${purpose}) can't be used: ${error.message}`,
      ),
    );
    server.listen(port, "0.0.0.0", () => server.close(() => resolve(undefined)));
  });
}
