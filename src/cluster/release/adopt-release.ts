import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { installProgram } from "./install-program.ts";
import { currentProgram, ownRoot, serverProgram, switchProgram } from "./versions.ts";

/**
 * Installs this program as that of a cluster, if it is a release and the cluster has none: the folder in which the release was
 * unpacked, or npm's cache, may be removed. A node beside its server begins with the server's program, by a link of its own:
 * they are upgraded one after the other.
 */
export async function adoptRelease(paths: ClusterPaths): Promise<void> {
  if (currentProgram(paths)) return;
  const shared = serverProgram(paths);
  if (shared) await switchProgram(paths, shared);
  else if (isRelease(ownRoot)) {
    const { folder } = await installProgram(paths, ownRoot);
    await switchProgram(paths, folder);
  }
}

/** True for the folder of a release: that of the sources names what developers need. */
function isRelease(folder: string): boolean {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
  return !("devDependencies" in manifest);
}
