/** Upstream: pkg/volume/volume_linux.go. */
import { chmod, lchown, lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";

interface OwnershipOptions {
  readonly fsGroup: number;
  readonly readOnly: boolean;
  /** Changes nothing if the volume's root already has the right group and mode. */
  readonly onRootMismatch?: boolean;
}

const log = logger("volume-ownership");
const readWriteMask = 0o660;
const readMask = 0o440;
const directoryMask = 0o2110;

/** Gives a group ownership of, and access to, a volume and all files in it. */
export async function ensureVolumeOwnership(
  directory: string,
  options: OwnershipOptions,
): Promise<void> {
  if (options.onRootMismatch && (await rootMatches(directory, options))) return;
  await change(directory, options);
}

async function rootMatches(directory: string, options: OwnershipOptions): Promise<boolean> {
  const { gid, mode } = await stat(directory);
  const required = maskOf(options) | directoryMask;
  return gid === options.fsGroup && (mode & required) === required;
}

/** Children first: a root with the right group then means that all of it is done. */
async function change(path: string, options: OwnershipOptions): Promise<void> {
  const status = await lstat(path);
  if (status.isDirectory()) {
    for (const name of await readdir(path)) await change(join(path, name), options);
  }
  try {
    await lchown(path, status.uid, options.fsGroup);
    if (status.isSymbolicLink()) return;
    const mask = maskOf(options) | (status.isDirectory() ? directoryMask : 0);
    await chmod(path, (status.mode & 0o7777) | mask);
  } catch (error) {
    log.error(error, "failed to change group of file", { path });
  }
}

function maskOf({ readOnly }: OwnershipOptions): number {
  return readOnly ? readMask : readWriteMask;
}
