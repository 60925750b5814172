import { hostname } from "node:os";
import { systemClock } from "#/std/time/clock.ts";
import { writeAccessFiles } from "./access-files.ts";
import { accessOfServer, certificateWishes } from "./certificates.ts";
import { command, pathsOf } from "./command.ts";
import type { ClusterPaths } from "./paths.ts";
import { ensurePki } from "./pki.ts";
import { Progress } from "./progress.ts";
import { type ClusterSettings, getSettings, localServer, saveSettings } from "./settings.ts";
import { prepareMachine, writeNodeFiles } from "./start-node.ts";
import { clusterFlags } from "./up-flags.ts";

/** `k8ts prepare`: all that the programs of a cluster find when they start; systemd runs it when the machine starts. */
export const main = command({
  name: "prepare",
  description: "Writes the files of a cluster, and makes its network, before its programs start.",
  examples: [["As the unit of the cluster does", "prepare"]],
  flags: clusterFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const settings = getSettings(paths);
    await prepareMachine(new Progress(), settings, true);
    await writeClusterFiles(paths, settings);
    return 0;
  },
});

/** Certificates, access and configuration of a cluster on this machine, and its settings. */
export async function writeClusterFiles(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  const isServer = settings.role === "server";
  if (isServer) {
    await ensurePki(paths.pki, certificateWishes(settings, hostname()), systemClock.now());
  }
  await writeNodeFiles(paths, settings);
  if (isServer) await writeAccessFiles(paths, settings.name, localServer(settings), accessOfServer);
  await saveSettings(paths, settings);
}
