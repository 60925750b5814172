import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";

/**
 * Writes a file atomically: after a crash it is either unchanged or complete. Its mode does not depend on the umask. In a
 * folder of others as well, no file but its own is written.
 */
export async function writeWhole(path: string, data: string | Uint8Array, mode = 0o600) {
  // Two processes may write the same file.
  const temporary = `${path}.${process.pid}.new`;
  // What an earlier process has left; or a link that another user has made.
  await rm(temporary, { force: true });
  await using file = await open(temporary, "wx", mode);
  await file.chmod(mode);
  await file.writeFile(data);
  await file.sync();
  await rename(temporary, path);
}

/** Creates a folder and its parents, for root only; its mode does not depend on the umask, nor on an earlier version. */
export async function ensureFolder(path: string, mode = 0o700): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}

/** Writes a file only if its content differs, so that programs that watch it do not read it again. */
export async function writeIfChanged(path: string, text: string, mode = 0o600): Promise<void> {
  const now = await readFile(path, "utf8").catch(() => undefined);
  if (now !== text) await writeWhole(path, text, mode);
}

/**
 * The mode of folders on the way to the root file systems of containers: with a user namespace, a container's first process goes
 * there as another user of the machine. Nothing in these folders can be listed, and everything else is for root only.
 */
export const traverseOnly = 0o711;
