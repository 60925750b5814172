/** Upstream: pkg/volume/util/subpath/subpath_linux.go. */
import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mounter } from "./mounter.ts";

/** `O_PATH`: opens a path without reading it; Node has no constant for it. */
const openPathOnly = 0o10000000;
const step = openPathOnly | constants.O_NOFOLLOW;

interface SubPathRequest {
  readonly mounter: Mounter;
  readonly volumePath: string;
  /** Relative, without `..`. */
  readonly subPath: string;
  /** Its mount point: POD/volume-subpaths/VOLUME/CONTAINER/INDEX. */
  readonly target: string;
}

/** Throws if the text of a sub-path could lead out of its volume. */
export function checkSubPath(subPath: string): void {
  if (subPath.startsWith("/")) {
    throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  }
  if (subPath.split("/").includes("..")) {
    throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
}

/** Creates the directory of a sub-path with the volume's own mode, never outside of the volume. */
export async function makeSubPath(volumePath: string, subPath: string): Promise<void> {
  const base = await realpath(volumePath);
  if (await exists(join(base, subPath))) return;
  const { mode } = await stat(base);
  const parts = subPath.split("/").filter((part) => part !== "" && part !== ".");
  let handle = await open(base, step | constants.O_DIRECTORY);
  try {
    for (const part of parts) {
      const below = `/proc/self/fd/${handle.fd}/${part}`;
      const made = await mkdir(below).then(
        () => true,
        (error: { code?: string }) => {
          if (error.code !== "EEXIST") throw error;
          return false;
        },
      );
      if (made) await chmod(below, mode & 0o7777);
      handle = await descend(handle, below);
      if (!(await handle.stat()).isDirectory()) throw new Error(`${part} is not a directory`);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Mounts a sub-path at the container's path. Links are followed once; then each part is opened from the one before
 * it without following any, and the opened file is mounted, even if its name changes meanwhile.
 */
export async function bindSubPath(request: SubPathRequest): Promise<string> {
  const { mounter, target } = request;
  const volume = await realpath(request.volumePath);
  const path = await realpath(join(request.volumePath, request.subPath));
  if (path !== volume && !path.startsWith(`${volume === "/" ? "" : volume}/`)) {
    throw new Error(`subpath "${path}" not within volume path "${volume}"`);
  }
  const handle = await openWithin(volume, path.slice(volume.length));
  try {
    if (await isMountedThere(mounter, handle, target)) return target;
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    if ((await handle.stat()).isDirectory()) await mkdir(target, { recursive: true, mode: 0o750 });
    else await writeFile(target, "", { mode: 0o640 });
    await mounter.mount({
      source: `/proc/${process.pid}/fd/${handle.fd}`,
      target,
      options: ["bind"],
      flags: ["--no-canonicalize"],
    });
    return target;
  } finally {
    await handle.close();
  }
}

/** Whether the same file is mounted there already; another file that is mounted there is unmounted. */
async function isMountedThere(
  mounter: Mounter,
  handle: FileHandle,
  target: string,
): Promise<boolean> {
  if (!(await mounter.isMountPoint(target))) return false;
  const [opened, held] = await Promise.all([handle.stat(), lstat(target)]);
  if (opened.ino === held.ino && opened.dev === held.dev) return true;
  await mounter.detach(target);
  return false;
}

async function openWithin(base: string, path: string): Promise<FileHandle> {
  let handle = await open(base, step);
  for (const part of path.split("/").filter((one) => one !== "")) {
    handle = await descend(handle, `/proc/self/fd/${handle.fd}/${part}`);
  }
  return handle;
}

async function descend(parent: FileHandle, path: string): Promise<FileHandle> {
  try {
    const handle = await open(path, step);
    if (!(await handle.stat()).isSymbolicLink()) return handle;
    await handle.close();
    throw new Error(`unexpected symlink found ${path}`);
  } finally {
    await parent.close();
  }
}

/** Unmounts all sub-paths below a directory, and removes the directory. */
export async function removeSubPaths(mounter: Mounter, directory: string): Promise<void> {
  for (const mountPoint of await mounter.below(directory)) await mounter.unmount(mountPoint);
  await removeEmpty(directory);
}

async function removeEmpty(directory: string): Promise<void> {
  let entries: Awaited<ReturnType<typeof lsDirectory>>;
  try {
    entries = await lsDirectory(directory);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return;
    throw error;
  }
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await removeEmpty(path);
    else await rm(path);
  }
  await rmdir(directory);
}

const lsDirectory = (path: string) => readdir(path, { withFileTypes: true });

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
