import { join } from "node:path";
import type { MountEntry } from "#/std/mounts/mounter.ts";

/** A path as the table of mounts has it: below the root of its file system. */
export function pathInFileSystem(path: string, mounts: readonly MountEntry[]): string {
  const above = mounts.filter(({ mountPoint }) => mountPoint === "/" || isBelow(path, mountPoint));
  const last = above.reduce((a, b) => (b.mountPoint.length >= a.mountPoint.length ? b : a));
  return join(last.root, path.slice(last.mountPoint === "/" ? 0 : last.mountPoint.length));
}

/** Whether a path is in a folder. */
export const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
