/** Upstream: pkg/volume/util/atomic_writer.go. */
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";

/** A file of a volume. */
export interface FileProjection {
  readonly data: Uint8Array;
  readonly mode: number;
  /** The uid of the owner; undefined for the kubelet's. */
  readonly user?: number | undefined;
}

/** Files by their path in the volume. */
type Payload = ReadonlyMap<string, FileProjection>;

interface WriteOptions {
  readonly nowMs: number;
  /** Called when the new files are written but not visible yet. */
  readonly setPermissions?: () => Promise<void>;
}

const dataLink = "..data";
const newDataLink = "..data_tmp";
const maxPathLength = 4096;

/**
 * Makes a directory contain exactly these files, in one atomic step: they are written to a new directory, and the link
 * through which all visible names lead is moved to it. Files that are up to date are not written again.
 */
export async function writeAtomically(
  directory: string,
  payload: Payload,
  { nowMs, setPermissions }: WriteOptions,
): Promise<boolean> {
  for (const path of payload.keys()) checkPath(path);
  const files = new Map([...payload].map(([path, file]) => [normalize(path), file]));
  const old = await readlink(join(directory, dataLink)).catch(whenMissing(undefined));
  const oldPaths = old === undefined ? new Set<string>() : await filesBelow(join(directory, old));
  const removed = [...oldPaths].filter((path) => !files.has(path));
  const changed =
    old === undefined || removed.length > 0 || (await differs(join(directory, old), files));
  if (!changed) {
    await linkVisible(directory, files);
    return false;
  }
  const fresh = await mkdtemp(join(directory, `..${timestamp(nowMs)}.`));
  await chmod(fresh, 0o755);
  await writeFiles(fresh, files);
  await setPermissions?.();
  await rm(join(directory, newDataLink), { force: true });
  await symlink(basename(fresh), join(directory, newDataLink));
  await linkVisible(directory, files);
  await rename(join(directory, newDataLink), join(directory, dataLink));
  await unlinkGone(directory, removed, files);
  if (old !== undefined) await rm(join(directory, old), { recursive: true, force: true });
  return true;
}

/** Names of directories contain their creation time, as upstream's do. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-T:]/g, "_");
}

function checkPath(path: string): void {
  if (path === "") throw new Error(`invalid path: must not be empty: "${path}"`);
  if (path.startsWith("/")) throw new Error(`invalid path: must be relative path: ${path}`);
  if (path.length > maxPathLength) {
    throw new Error(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  }
  const parts = path.split("/");
  if (parts.includes("..")) throw new Error(`invalid path: must not contain '..': ${path}`);
  if (parts[0]?.startsWith(".."))
    throw new Error(`invalid path: must not start with '..': ${path}`);
}

async function differs(directory: string, files: Payload): Promise<boolean> {
  for (const [path, { data, mode, user }] of files) {
    const full = join(directory, path);
    const [held, status] = await Promise.all([
      readFile(full).catch(whenMissing(undefined)),
      lstat(full).catch(whenMissing(undefined)),
    ]);
    if (held === undefined || status === undefined || !held.equals(data)) return true;
    if ((status.mode & mode) !== mode) return true;
    if (user !== undefined && status.uid !== user) return true;
  }
  return false;
}

async function writeFiles(directory: string, files: Payload): Promise<void> {
  for (const [path, { data, mode, user }] of files) {
    const full = join(directory, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, data);
    await chmod(full, mode);
    if (user !== undefined) await chown(full, user, -1);
  }
}

/** The first part of each path is a link through the data link. */
async function linkVisible(directory: string, files: Payload): Promise<void> {
  for (const name of topNames(files.keys())) {
    const link = join(directory, name);
    if ((await lstat(link).catch(whenMissing(undefined))) !== undefined) continue;
    await symlink(join(dataLink, name), link);
  }
}

async function unlinkGone(
  directory: string,
  removed: readonly string[],
  files: Payload,
): Promise<void> {
  const kept = topNames(files.keys());
  for (const name of topNames(removed)) {
    if (!kept.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

function topNames(paths: Iterable<string>): Set<string> {
  return new Set(Array.from(paths, (path) => path.split("/")[0] ?? path));
}

async function filesBelow(directory: string, prefix = ""): Promise<Set<string>> {
  const found = new Set<string>();
  const entries = await readdir(join(directory, prefix), { withFileTypes: true }).catch(
    whenMissing([]),
  );
  for (const entry of entries) {
    const path = join(prefix, entry.name);
    if (!entry.isDirectory()) found.add(path);
    else for (const below of await filesBelow(directory, path)) found.add(below);
  }
  return found;
}

function whenMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as { code?: string }).code === "ENOENT") return value;
    throw error;
  };
}
