import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KernelChange, networkOf, ownNetwork } from "#/std/kernel/kernel-changes.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { mergeChanges } from "./merge-changes.ts";

/**
 * A folder for each cluster of the machine, with a file for each change of the kernel that it has made: `down --purge` undoes
 * them. A reboot undoes them as well, and empties this folder.
 */
const changesFolder = "/run/k8ts-changes";

interface ChangesOptions {
  readonly folder?: string;
  readonly run?: RunProgram;
}

/** Notes that a cluster uses this machine and its network: until it is removed, changes that it depends on stay. */
export async function registerCluster(
  cluster: string,
  { folder = changesFolder }: ChangesOptions = {},
): Promise<void> {
  await mkdir(join(folder, cluster), { recursive: true, mode: 0o700 });
  await writeFile(networkFile(folder, cluster), await ownNetwork(), { mode: 0o600 });
}

/** Notes where the data of a cluster are, for commands without --data-dir. */
export async function registerFolder(
  cluster: string,
  dataFolder: string,
  { folder = changesFolder }: ChangesOptions = {},
): Promise<void> {
  await mkdir(join(folder, cluster), { recursive: true, mode: 0o700 });
  await writeFile(dataFile(folder, cluster), dataFolder, { mode: 0o600 });
}

/** The data folder of a cluster that was started since the machine's start; undefined if there is none. */
export function registeredFolder(
  cluster: string,
  { folder = changesFolder }: ChangesOptions = {},
): string | undefined {
  return readText(dataFile(folder, cluster)) || undefined;
}

const dataFile = (folder: string, cluster: string): string => join(folder, cluster, ".data");

const networkFile = (folder: string, cluster: string): string => join(folder, cluster, ".network");

/** A function that records the changes of a cluster. */
export const recorderOf =
  (cluster: string, { folder = changesFolder }: ChangesOptions = {}) =>
  (change: KernelChange): void => {
    mkdirSync(join(folder, cluster), { recursive: true, mode: 0o700 });
    write(join(folder, cluster), change);
  };

/**
 * Undoes the changes of a cluster that is removed. Other clusters of the machine, and for settings of a network those in the same
 * one, may depend on them: the changes are then theirs, and the last one undoes them.
 */
export async function undoChanges(
  cluster: string,
  { folder = changesFolder, run = runProgram }: ChangesOptions = {},
): Promise<void> {
  const own = join(folder, cluster);
  const others = list(folder).filter((name) => name !== cluster);
  const heirOf = (change: KernelChange): string | undefined => {
    const network = "file" in change ? change.network : undefined;
    return others.find(
      (other) => network === undefined || network === readText(networkFile(folder, other)),
    );
  };
  const alone: KernelChange[] = [];
  for (const change of readChanges(own)) {
    const heir = heirOf(change);
    if (heir === undefined) alone.push(change);
    else write(join(folder, heir), change);
  }
  // The cluster is gone, whatever fails next.
  await rm(own, { recursive: true, force: true });
  await rmdir(folder).catch(() => undefined);
  await undoAll(alone, run);
}

/** Values first: those of a module are gone with it. Each is tried, even if others fail. */
async function undoAll(changes: readonly KernelChange[], run: RunProgram): Promise<void> {
  const failures: unknown[] = [];
  for (const change of changes) {
    // A network namespace that has ended needs nothing.
    if (!("file" in change) || (await networkOf(change.file)) !== change.network) continue;
    const now = await readFile(change.file, "utf8").catch(() => undefined);
    // Another value is the administrator's.
    if (now?.trim() !== change.after) continue;
    await writeFile(change.file, change.before).catch((error) => failures.push(error));
  }
  for (const change of changes) {
    // A module that is in use stays.
    if ("module" in change) await run("modprobe", ["-r", change.module]).catch(() => undefined);
  }
  if (failures.length > 0) throw failures[0];
}

function write(folder: string, change: KernelChange): void {
  const file = join(folder, nameOf(change));
  const known = readChanges(folder).find((other) => nameOf(other) === nameOf(change));
  // Whole or not at all: the machine may stop in the middle.
  writeFileSync(`${file}.new`, JSON.stringify(known ? mergeChanges(known, change) : change), {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
}

const nameOf = (change: KernelChange): string =>
  encodeURIComponent("file" in change ? `${change.file} ${change.network ?? ""}` : change.module);

const readChanges = (folder: string): KernelChange[] =>
  list(folder)
    .filter((name) => !name.startsWith(".") && !name.endsWith(".new"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as KernelChange);

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
