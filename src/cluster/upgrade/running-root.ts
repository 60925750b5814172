import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";
import { supervisorOf } from "../supervision/supervisor.ts";

/** The folder of the program that runs a cluster's node now, of any version; undefined if it does not run. */
export async function runningRoot(
  paths: ClusterPaths,
  cluster: string,
): Promise<string | undefined> {
  const { pid } = await supervisorOf(paths, cluster).state("agent");
  if (pid === undefined) return undefined;
  const main = commandOf(pid).find((word) => word.endsWith("/bin/k8ts.ts"));
  const root = main === undefined ? undefined : dirname(dirname(main));
  return root !== undefined && existsSync(join(root, "k8ts")) ? realpathSync(root) : undefined;
}

function commandOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // It has just ended.
  }
}
