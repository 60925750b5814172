import { hostname } from "node:os";
import { systemClock } from "#/std/time/clock.ts";
import { writeAccessFiles } from "../access/access-files.ts";
import { accessOfServer, certificateSpecs } from "../access/certificates.ts";
import { ensurePki } from "../access/pki.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { Progress } from "../base/progress.ts";
import { type ClusterSettings, getSettings, localServer, saveSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { prepareMachine, writeNodeFiles } from "../programs/start-node.ts";

/** `k8ts prepare`: prepares everything that the programs of a cluster need at their start; systemd runs it at boot. */
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
    await ensurePki(paths.pki, certificateSpecs(settings, hostname()), systemClock.now());
  }
  await writeNodeFiles(paths, settings);
  if (isServer) await writeAccessFiles(paths, settings.name, localServer(settings), accessOfServer);
  await saveSettings(paths, settings);
}
