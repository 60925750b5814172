/** Upstream: github.com/opencontainers/cgroups. */
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import type { CgroupLimits } from "./cgroup-limits.ts";
import { cpuWeight } from "./cpu-shares.ts";
import { hugePageSizeName } from "./linux-resources.ts";
import { parseCgroupMounts } from "./parse-cgroup-mounts.ts";

const log = logger("cgroups");

/** The cgroups of this machine, by path below the mount point. */
export interface CgroupFilesystem {
  readonly version: 1 | 2;
  exists(path: string): Promise<boolean>;
  /** Creates a cgroup and its parents, with all available controllers. */
  create(path: string): Promise<void>;
  /** Sets limits; those of controllers that don't exist are skipped. */
  limit(path: string, limits: CgroupLimits): Promise<void>;
  /** Names of the cgroups below one. */
  children(path: string): Promise<readonly string[]>;
  /** All processes of a cgroup and those below it. */
  processes(path: string): Promise<readonly number[]>;
  /** Removes a cgroup and those below it; they must be empty of processes. */
  remove(path: string): Promise<void>;
  /** The text of a file of a controller: `memory.stat`; undefined if there is none. */
  read(path: string, controller: string, file: string): Promise<string | undefined>;
}

/** Finds the version of cgroups and its mount points. */
export async function openCgroups(mountinfo = "/proc/self/mountinfo"): Promise<CgroupFilesystem> {
  const mounts = parseCgroupMounts(await readFile(mountinfo, "utf8"));
  if (mounts.controllers.size > 0) return new CgroupsV1(mounts.controllers);
  if (mounts.unified === undefined) throw new Error("no cgroups are mounted");
  return new CgroupsV2(mounts.unified);
}

type Setting = readonly [controller: string, file: string, value: string];

class CgroupsV1 implements CgroupFilesystem {
  readonly version = 1;
  readonly #mounts: ReadonlyMap<string, string>;

  constructor(mounts: ReadonlyMap<string, string>) {
    this.#mounts = mounts;
  }

  async exists(path: string): Promise<boolean> {
    const found = await Promise.all(this.#roots().map((root) => isDirectory(join(root, path))));
    return found.every((one) => one);
  }

  async create(path: string): Promise<void> {
    const cpuset = this.#mounts.get("cpuset");
    // One after another: the kernel serializes them, and concurrent calls would only delay other file operations.
    for (const root of this.#roots()) {
      await mkdir(join(root, path), { recursive: true });
      if (root === cpuset) await inheritCpuset(root, path);
    }
  }

  async limit(path: string, limits: CgroupLimits): Promise<void> {
    const settings: Setting[] = [];
    const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryBytes, pids, hugePages } = limits;
    if (cpuShares !== undefined) settings.push(["cpu", "cpu.shares", `${cpuShares}`]);
    if (cpuPeriodUs) settings.push(["cpu", "cpu.cfs_period_us", `${cpuPeriodUs}`]);
    if (cpuQuotaUs) settings.push(["cpu", "cpu.cfs_quota_us", `${cpuQuotaUs}`]);
    if (memoryBytes) settings.push(["memory", "memory.limit_in_bytes", `${memoryBytes}`]);
    if (pids) settings.push(["pids", "pids.max", `${pids}`]);
    for (const [size, bytes] of hugePages ?? []) {
      const file = `hugetlb.${hugePageSizeName(size)}.limit_in_bytes`;
      settings.push(["hugetlb", file, `${bytes}`]);
    }
    for (const [controller, file, value] of settings) {
      const root = this.#mounts.get(controller);
      if (root !== undefined) await writeIfThere(join(root, path, file), value);
    }
  }

  async children(path: string): Promise<readonly string[]> {
    const lists = await Promise.all(this.#roots().map((root) => directories(join(root, path))));
    return [...new Set(lists.flat())];
  }

  async processes(path: string): Promise<readonly number[]> {
    const lists = await Promise.all(this.#roots().map((root) => processesBelow(join(root, path))));
    return [...new Set(lists.flat())];
  }

  async remove(path: string): Promise<void> {
    for (const root of this.#roots()) await removeBelow(join(root, path));
  }

  async read(path: string, controller: string, file: string): Promise<string | undefined> {
    const root = this.#mounts.get(controller);
    return root === undefined ? undefined : readIfThere(join(root, path, file));
  }

  #roots(): string[] {
    return [...new Set(this.#mounts.values())];
  }
}

class CgroupsV2 implements CgroupFilesystem {
  readonly version = 2;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  exists(path: string): Promise<boolean> {
    return isDirectory(join(this.#root, path));
  }

  async create(path: string): Promise<void> {
    let directory = this.#root;
    for (const part of path.split("/").filter((one) => one !== "")) {
      const available = (await readIfThere(join(directory, "cgroup.controllers"))) ?? "";
      const controllers = available.split(/\s+/).filter((one) => one !== "");
      await mkdir(join(directory, part), { recursive: true });
      for (const controller of controllers) await delegate(directory, controller);
      directory = join(directory, part);
    }
    const held = new Set(
      ((await readIfThere(join(directory, "cgroup.controllers"))) ?? "").split(/\s+/),
    );
    const missing = ["cpu", "memory", "pids"].filter((one) => !held.has(one));
    if (missing.length > 0) {
      throw new Error(`cgroup ${path} can't have the controllers ${missing.join(", ")}`);
    }
  }

  async limit(path: string, limits: CgroupLimits): Promise<void> {
    const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryBytes, pids, hugePages } = limits;
    const settings: [string, string][] = [];
    if (cpuShares !== undefined) settings.push(["cpu.weight", `${cpuWeight(cpuShares)}`]);
    if (cpuQuotaUs) {
      const quota = cpuQuotaUs < 0 ? "max" : `${cpuQuotaUs}`;
      settings.push(["cpu.max", `${quota} ${cpuPeriodUs ?? 100_000}`]);
    }
    if (memoryBytes) settings.push(["memory.max", `${memoryBytes}`]);
    if (pids) settings.push(["pids.max", `${pids}`]);
    for (const [size, bytes] of hugePages ?? []) {
      settings.push([`hugetlb.${hugePageSizeName(size)}.max`, `${bytes}`]);
    }
    for (const [file, value] of settings) await writeIfThere(join(this.#root, path, file), value);
  }

  children(path: string): Promise<readonly string[]> {
    return directories(join(this.#root, path));
  }

  processes(path: string): Promise<readonly number[]> {
    return processesBelow(join(this.#root, path));
  }

  remove(path: string): Promise<void> {
    return removeBelow(join(this.#root, path));
  }

  read(path: string, _controller: string, file: string): Promise<string | undefined> {
    return readIfThere(join(this.#root, path, file));
  }
}

/**
 * Enables a controller for the cgroups below one. Some are refused where processes run; required ones are checked
 * later.
 */
async function delegate(directory: string, controller: string): Promise<void> {
  try {
    await writeIfThere(join(directory, "cgroup.subtree_control"), `+${controller}`);
  } catch (error) {
    log.v(2, "cgroup controller not available", {
      directory,
      controller,
      error: (error as Error).message,
    });
  }
}

/** A new cpuset has no processors and no memory until it gets its parent's. */
async function inheritCpuset(root: string, path: string): Promise<void> {
  const parts = path.split("/").filter((one) => one !== "");
  await Promise.all(["cpuset.cpus", "cpuset.mems"].map((file) => inherited(root, parts, file)));
}

/** The content of a cgroup's file; if it is empty, the parent's content, which is copied to it. */
async function inherited(root: string, parts: readonly string[], file: string): Promise<string> {
  const own = join(root, ...parts, file);
  const held = (await readIfThere(own))?.trim() ?? "";
  if (held !== "" || parts.length === 0) return held;
  const given = await inherited(root, parts.slice(0, -1), file);
  if (given !== "") await writeIfThere(own, given);
  return given;
}

async function processesBelow(directory: string): Promise<number[]> {
  const text = (await readIfThere(join(directory, "cgroup.procs"))) ?? "";
  const own = text
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
  const below = await directories(directory);
  const lists = await Promise.all(below.map((name) => processesBelow(join(directory, name))));
  return [...own, ...lists.flat()];
}

async function removeBelow(directory: string): Promise<void> {
  for (const name of await directories(directory)) await removeBelow(join(directory, name));
  try {
    await rmdir(directory);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function directories(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    await readdir(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A file of a controller that this kernel doesn't have is no error. */
async function writeIfThere(path: string, value: string): Promise<void> {
  try {
    await writeFile(path, value, { flag: "r+" });
  } catch (error) {
    if (!isMissing(error)) throw new Error(`failed to write ${value} to ${path}`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "ENOENT" || code === "ENODEV";
}
