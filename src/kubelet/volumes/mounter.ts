/** Upstream: k8s.io/mount-utils/mount_linux.go. */
import { readFile, realpath } from "node:fs/promises";
import { ProgramError, type RunProgram, runProgram } from "#/std/process/run-program.ts";

interface MountRequest {
  readonly source: string;
  readonly target: string;
  /** Empty for bind mounts. */
  readonly type?: string | undefined;
  readonly options?: readonly string[];
  /** More arguments for the program, such as `--no-canonicalize`. */
  readonly flags?: readonly string[];
}

/** A line of the mount table. */
interface MountEntry {
  readonly mountPoint: string;
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

  async mount({ source, target, type, options = [], flags = [] }: MountRequest): Promise<void> {
    const bind = options.includes("bind");
    const first = bind
      ? options.filter((option) => ["bind", "rbind", "remount"].includes(option))
      : options;
    await this.#mount({ source, target, type, options: first, flags });
    const rest = options.filter((option) => !first.includes(option));
    if (bind && rest.length > 0) {
      await this.#mount({ source, target, type, options: ["bind", "remount", ...rest], flags });
    }
  }

  /** Unmounts a path, all layers of it; does nothing if it isn't mounted. */
  async unmount(target: string): Promise<void> {
    for (let layers = 0; layers < maxLayers && (await this.isMountPoint(target)); layers++) {
      await this.#run("umount", [target]);
    }
  }

  /** Detaches it at once; the kernel removes it when it is no longer in use. */
  async detach(target: string): Promise<void> {
    await this.#run("umount", ["-l", target]);
  }

  async isMountPoint(path: string): Promise<boolean> {
    return (await this.find(path)) !== undefined;
  }

  /** The topmost mount at a path. */
  async find(path: string): Promise<MountEntry | undefined> {
    const real = await realpath(path).catch(() => path);
    return (await this.list()).findLast(({ mountPoint }) => mountPoint === real);
  }

  /** The mounts below a directory, deepest first. */
  async below(directory: string): Promise<readonly string[]> {
    const real = await realpath(directory).catch(() => directory);
    return (await this.list())
      .map(({ mountPoint }) => mountPoint)
      .filter((mountPoint) => mountPoint === real || mountPoint.startsWith(`${real}/`))
      .reverse();
  }

  async list(): Promise<MountEntry[]> {
    return parseMountInfo(await readFile(this.#table, "utf8"));
  }

  async #mount({ source, target, type, options = [], flags = [] }: MountRequest): Promise<void> {
    const args = [
      ...flags,
      ...(type ? ["-t", type] : []),
      ...(options.length > 0 ? ["-o", options.join(",")] : []),
      ...(source === "" ? [] : [source]),
      target,
    ];
    try {
      await this.#run("mount", args);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const status = error.exitCode === undefined ? error.message : `exit status ${error.exitCode}`;
      throw new Error(
        `mount failed: ${status}\nMounting command: mount\nMounting arguments: ${args.join(" ")}\nOutput: ${error.stderr}`,
        { cause: error },
      );
    }
  }
}

/** Limit of mounts over each other at one path: more are a mistake. */
const maxLayers = 32;

/** Reads the kernel's mount table. */
function parseMountInfo(text: string): MountEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [before = "", after = ""] = line.split(" - ");
      const [, , , root = "", mountPoint = "", options = ""] = before.split(" ");
      const [type = "", , superOptions = ""] = after.split(" ");
      return {
        mountPoint: decodeOctal(mountPoint),
        root: decodeOctal(root),
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
