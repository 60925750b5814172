/** Upstream: k8s.io/mount-utils/mount_linux.go. */
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ProgramError, type RunProgram, runProgram } from "../process/run-program.ts";

interface MountRequest {
  readonly source: string;
  readonly target: string;
  /** Empty for bind mounts. */
  readonly type?: string | undefined;
  readonly options?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A line of the mount table. */
export interface MountEntry {
  readonly mountPoint: string;
  /** The device, or another name of its origin. */
  readonly source: string;
  readonly type: string;
  readonly options: readonly string[];
  /** The mounted path, below the root of its file system. */
  readonly root: string;
}

/** Mounts and unmounts with the machine's `mount` and `umount`. */
export class Mounter {
  readonly #run: RunProgram;
  readonly #table: string;

  constructor(run: RunProgram = runProgram, table = "/proc/self/mountinfo") {
    this.#run = run;
    this.#table = table;
  }

  async mount({ source, target, type, options = [], signal }: MountRequest): Promise<void> {
    const bind = options.includes("bind");
    const first = bind
      ? options.filter((option) => ["bind", "rbind", "remount"].includes(option))
      : options;
    await this.#mount({ source, target, type, options: first, signal });
    const rest = options.filter((option) => !first.includes(option));
    if (bind && rest.length > 0) {
      await this.#mount({ source, target, type, options: ["bind", "remount", ...rest], signal });
    }
  }

  /** Unmounts a path, all layers of it; does nothing if it isn't mounted. */
  async unmount(target: string): Promise<void> {
    for (let layers = 0; layers < maxLayers; layers++) {
      const mounted = await this.find(target);
      if (mounted === undefined) return;
      await this.#unmountOne(target, mounted);
    }
  }

  /** The path is not resolved, which a mount without its server would not answer. */
  async #unmountOne(target: string, { type }: MountEntry): Promise<void> {
    const limits = { timeoutMs: unmountMs };
    try {
      await this.#run("umount", ["--no-canonicalize", target], "", limits);
    } catch (error) {
      // A program that gave up: the server of the mount does not respond.
      if (!/^nfs/.test(type) || (error as ProgramError).exitCode !== undefined) throw error;
      await this.#run("umount", ["--no-canonicalize", "-f", target], "", limits);
    }
  }

  async isMountPoint(path: string): Promise<boolean> {
    return (await this.find(path)) !== undefined;
  }

  /** The topmost mount at a path. */
  async find(path: string): Promise<MountEntry | undefined> {
    const real = await mountPointOf(path);
    return (await this.list()).findLast(({ mountPoint }) => mountPoint === real);
  }

  /** The mounts below a directory, deepest first. */
  async below(directory: string): Promise<readonly string[]> {
    const real = await mountPointOf(directory);
    return (await this.list())
      .map(({ mountPoint }) => mountPoint)
      .filter((mountPoint) => mountPoint === real || mountPoint.startsWith(`${real}/`))
      .reverse();
  }

  async list(): Promise<MountEntry[]> {
    return parseMountInfo(await readFile(this.#table, "utf8"));
  }

  async #mount({ source, target, type, options = [], signal }: MountRequest): Promise<void> {
    const flags = [
      ...(type ? ["-t", type] : []),
      ...(options.length > 0 ? ["-o", options.join(",")] : []),
    ];
    const operands = [...(source === "" ? [] : [source]), target];
    try {
      // A source may begin with "-", as the server of a Pod's NFS volume is any text.
      await this.#run("mount", [...flags, "--", ...operands], "", { signal, timeoutMs: mountMs });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const status = error.exitCode === undefined ? error.message : `exit status ${error.exitCode}`;
      const args = [...flags, ...operands].join(" ");
      throw new Error(
        `mount failed: ${status}\nMounting command: mount\nMounting arguments: ${args}\nOutput: ${error.stderr}`,
        { cause: error },
      );
    }
  }
}

/** Limit of mounts over each other at one path: more are a mistake. */
const maxLayers = 32;
/** Limit of the time (ms) of a mount: longer than mount.nfs tries to reach a server. */
const mountMs = 3 * 60_000;
/** Limit of the time (ms) of an unmount, as upstream's for NFS. */
const unmountMs = 60_000;

/** The path in the mount table. Only the parent is resolved: a mount itself may not respond. */
async function mountPointOf(path: string): Promise<string> {
  const parent = await realpath(dirname(path)).catch(() => dirname(path));
  return join(parent, basename(path));
}

/** Reads the kernel's mount table. */
function parseMountInfo(text: string): MountEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [, , , root = "", mountPoint = "", options = ""] = before.split(" ");
      const [type = "", source = "", superOptions = ""] = after.split(" ");
      return {
        mountPoint: decodeOctal(mountPoint),
        root: decodeOctal(root),
        source: decodeOctal(source),
        type,
        options: [...options.split(","), ...superOptions.split(",")],
      };
    });
}

/** The kernel escapes blanks and other special characters in octal. */
function decodeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_match, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
