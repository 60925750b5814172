/** Upstream: pkg/volume/util/subpath/subpath_linux.go. */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Descriptor } from "./descriptor.ts";
import { LeavesDirectoryError, openWithin } from "./open-within.ts";

interface SubPath {
  /** The volume, a path of the node. */
  readonly volume: string;
  /** Relative, without `..`. */
  readonly subPath: string;
}

interface SubPathMount extends SubPath {
  /** Its mount point: POD/volume-subpaths/VOLUME/CONTAINER/INDEX. */
  readonly target: string;
  /** Whether something is mounted there. */
  readonly isMounted: boolean;
}

/** The bits of a volume's mode that its new directories get: a Pod may have set others. */
const inheritedMode = 0o2777;

/** Creates the directory of a sub-path with the volume's own mode, never outside of the volume. */
export function makeSubPath({ volume, subPath }: SubPath): void {
  using root = Descriptor.openFollowing(volume);
  const mode = root.stat().mode & inheritedMode;
  using _made = openWithin(root, subPath, (parent, name) => parent.makeDirectory(name, mode));
}

/** Mounts a sub-path at the container's path: the opened file, even if its name leads elsewhere meanwhile. */
export function mountSubPath({ volume, subPath, target, isMounted }: SubPathMount): void {
  using root = Descriptor.openFollowing(volume);
  using file = openSubPath(root, subPath);
  const found = file.stat();
  if (isMounted) {
    const mounted = lstatSync(target);
    if (found.ino === mounted.ino && found.dev === mounted.dev) return;
    run("umount", ["-l", target]);
  }
  mkdirSync(dirname(target), { recursive: true, mode: 0o750 });
  if (found.isDirectory()) mkdirSync(target, { recursive: true, mode: 0o750 });
  else writeFileSync(target, "", { mode: 0o640 });
  run("mount", ["--no-canonicalize", "-o", "bind", file.path, target]);
}

function openSubPath(root: Descriptor, subPath: string): Descriptor {
  try {
    return openWithin(root, subPath);
  } catch (error) {
    if (!(error instanceof LeavesDirectoryError)) throw error;
    throw new Error(`subpath "${subPath}" not within volume path "${root.realPath}"`, {
      cause: error,
    });
  }
}

function run(program: string, args: readonly string[]): void {
  const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
  const { status, stderr, error } = spawnSync(program, args, { env, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} failed: exit status ${status}\nOutput: ${stderr}`);
}
