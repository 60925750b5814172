import { constants } from "node:fs";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { parseYaml, yaml } from "#/std/text/yaml.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { Kubeconfig } from "./user-kubeconfig.ts";

/** The owner of a file. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Timeout (ms) of the wait for the file's lock. */
const lockMs = 3_000;
const intervalMs = 50;

/**
 * Changes a kubeconfig: reads, edits and writes it under kubectl's own lock. An existing file keeps its owner, its mode
 * and its place behind a link; a new one is readable by its owner only. An edit that returns undefined removes it.
 */
export async function editKubeconfig(
  path: string,
  edit: (config: Kubeconfig) => Kubeconfig | undefined,
  owner?: Owner,
): Promise<void> {
  const file = await realpath(path).catch(() => path);
  await makeFolder(dirname(file), owner);
  await using _lock = await lock(`${file}.lock`);
  const found = await stat(file).catch(() => undefined);
  const config = found ? readConfig(file, await readFile(file, "utf8")) : {};
  const edited = edit(config);
  if (edited === config) return;
  if (!edited) return await rm(file, { force: true });
  await replace(file, yaml().stringify(edited, { indentSeq: false, lineWidth: 0 }), {
    mode: found ? found.mode & 0o777 : 0o600,
    owner: found ?? owner,
  });
}

function readConfig(file: string, text: string): Kubeconfig {
  const config = text.trim() === "" ? {} : parseYaml(text);
  if (typeof config === "object" && config !== null && !Array.isArray(config)) {
    return config as Kubeconfig;
  }
  throw new Error(`${file} is not a kubeconfig; name another file with --kubeconfig`);
}

async function replace(
  file: string,
  text: string,
  { mode, owner }: { readonly mode: number; readonly owner: Owner | undefined },
): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // The folder may be another user's, who must not lead root to other files by links.
    await rm(temporary, { force: true });
    {
      await using written = await open(temporary, "wx", mode);
      await written.writeFile(text);
      if (owner) await written.chown(owner.uid, owner.gid);
      await written.sync();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** New folders get the owner of the file. */
async function makeFolder(folder: string, owner: Owner | undefined): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o755 });
  if (!first || !owner) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) {
    await using made = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
    await made.chown(owner.uid, owner.gid);
  }
}

/** kubectl creates this file before it writes, and fails if it exists; its writes are short. */
async function lock(path: string): Promise<AsyncDisposable> {
  const deadline = systemClock.monotonicMs() + lockMs;
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (systemClock.monotonicMs() > deadline) {
        throw new Error(
          `${path} says that another program is writing there; if none is, remove ${path}`,
        );
      }
      await systemClock.sleep(intervalMs);
    }
  }
}
