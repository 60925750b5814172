import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Mounter } from "#/std/mounts/mounter.ts";

/** Throws if the text of a sub-path could lead out of its volume. */
export function checkSubPath(subPath: string): void {
  if (subPath.startsWith("/")) {
    throw new Error(`error SubPath \`${subPath}\` must not be an absolute path`);
  }
  if (subPath.split("/").includes("..")) {
    throw new Error(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
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
