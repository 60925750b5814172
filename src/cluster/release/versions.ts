import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { open, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClusterPaths } from "../base/paths.ts";

/*
 * A cluster whose program was installed by a release has it in its own folder:
 *
 *   versions/VERSION   programs, side by side
 *   current            a link to the one that runs
 *
 * Everything that starts the program uses the link. A cluster without it runs the program of a checkout.
 */

/** The folder of the program that runs now. */
export const ownRoot = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

const linkOf = (paths: Pick<ClusterPaths, "folder">): string => join(paths.folder, "current");

/** The folder that has the programs of a cluster; a node beside its server shares the server's. */
export function versionsFolder({ folder }: ClusterPaths): string {
  return join(serverFolder(folder) ?? folder, "versions");
}

/** The folder of the server of a node that lives in DATA/nodes/NUMBER; undefined for others. */
function serverFolder(folder: string): string | undefined {
  const nodes = dirname(folder);
  const server = dirname(nodes);
  return basename(nodes) === "nodes" && existsSync(join(server, "cluster.json"))
    ? server
    : undefined;
}

/** The folder of the program that a cluster is to run; undefined if that of a checkout. */
export function currentProgram(paths: Pick<ClusterPaths, "folder">): string | undefined {
  const link = linkOf(paths);
  return existsSync(join(link, "k8ts")) ? realpathSync(link) : undefined;
}

/**
 * The folder by which everything that starts the program of a cluster names it: the link, which stays when the version
 * changes, or this program's own folder.
 */
export function programRoot(paths: Pick<ClusterPaths, "folder">): string {
  const link = linkOf(paths);
  if (existsSync(join(link, "k8ts"))) return link;
  return ownRoot;
}

/** The program of the server beside which a node lives; undefined for a server, or if that has none of its own. */
export function serverProgram({ folder }: ClusterPaths): string | undefined {
  const server = serverFolder(folder);
  return server === undefined ? undefined : currentProgram({ folder: server });
}

/** The launcher of a cluster's program. */
export const launcherOf = (paths: ClusterPaths): string => join(programRoot(paths), "k8ts");

/** Makes a program the one that a cluster runs from its next start on; undefined: that of a checkout. */
export async function switchProgram(
  paths: ClusterPaths,
  program: string | undefined,
): Promise<void> {
  const link = linkOf(paths);
  if (program === undefined) await rm(link, { force: true });
  else {
    const target = relative(paths.folder, program);
    if (existsSync(link) && readlinkSync(link) === target) return;
    const fresh = `${link}.new`;
    await rm(fresh, { force: true });
    await symlink(target, fresh);
    await rename(fresh, link);
  }
  await using folder = await open(paths.folder, "r");
  await folder.sync();
}
