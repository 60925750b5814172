import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { currentContext } from "../access/current-context.ts";
import {
  type ClusterPaths,
  clusterFolder,
  clusterPaths,
  defaultClusterName,
} from "../base/paths.ts";
import { type ClusterSettings, findSettings } from "../base/settings.ts";
import { command } from "../command-line/command.ts";
import { textTable } from "../command-line/text-table.ts";
import { programs } from "../supervision/programs.ts";
import { supervisorOf } from "../supervision/supervisor.ts";

/** `k8ts list`: the clusters of this machine. */
export const main = command({
  name: "list",
  description: `Lists the clusters of this machine, and those of other machines that it has joined.
A star marks the current context. Clusters with a --data-dir of their own are not found.`,
  examples: [["List all clusters", "list"]],
  flags: {},
  async run() {
    const current = await currentContext();
    const rows = await Promise.all(
      clustersHere().map(async ({ paths, settings }) => [
        settings.name === current ? "*" : "",
        settings.name,
        settings.role,
        await stateOf(paths, settings),
        settings.server,
        paths.folder,
      ]),
    );
    process.stdout.write(textTable([["", "NAME", "ROLE", "STATE", "SERVER", "FOLDER"], ...rows]));
    return 0;
  },
});

interface ClusterHere {
  readonly paths: ClusterPaths;
  readonly settings: ClusterSettings;
}

/** The clusters whose folders are where `up` puts them. */
export function clustersHere(): ClusterHere[] {
  const parent = dirname(clusterFolder(defaultClusterName));
  return readdirSync(parent)
    .filter((entry) => /^k8ts(-|$)/.test(entry))
    .sort()
    .flatMap((entry) => {
      const paths = clusterPaths(join(parent, entry));
      const settings = findSettings(paths);
      return settings ? [{ paths, settings }] : [];
    });
}

async function stateOf(paths: ClusterPaths, settings: ClusterSettings): Promise<string> {
  const supervisor = supervisorOf(paths, settings.name);
  const all = await Promise.all(
    programs(paths, settings).map(({ name }) => supervisor.state(name)),
  );
  if (all.every(({ pid }) => pid !== undefined)) return "running";
  return all.every(({ pid }) => pid === undefined) ? "stopped" : "partly running";
}
