import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { ensureFolder, writeWhole } from "../base/write-file.ts";
import type { NodeOutcome } from "./node-request.ts";

const folderOf = (paths: ClusterPaths): string => join(paths.folder, "upgrade");
const lastFile = (paths: ClusterPaths): string => join(folderOf(paths), "last-request");
const fileOf = (paths: ClusterPaths): string => join(folderOf(paths), "outcome.json");

/** Records how an upgrade of this node has ended; its agent reports it, of whichever version it is then. */
export async function writeOutcome(paths: ClusterPaths, outcome: NodeOutcome): Promise<void> {
  await ensureFolder(folderOf(paths));
  await writeWhole(fileOf(paths), `${JSON.stringify(outcome)}\n`);
}

/** How the last upgrade of this node has ended. */
export async function findOutcome(paths: ClusterPaths): Promise<NodeOutcome | undefined> {
  const text = await readFile(fileOf(paths), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as NodeOutcome);
}

/** Records when the request was signed that this node follows. */
export async function writeLastRequest(paths: ClusterPaths, signedMs: number): Promise<void> {
  await ensureFolder(folderOf(paths));
  await writeWhole(lastFile(paths), `${signedMs}\n`);
}

/** When the last request was signed that this node has followed (ms); 0 if there was none. */
export async function readLastRequest(paths: ClusterPaths): Promise<number> {
  return Number(await readFile(lastFile(paths), "utf8").catch(() => "0"));
}
