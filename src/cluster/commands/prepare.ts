import { finishOperation } from "../base/operation.ts";
import { Progress } from "../base/progress.ts";
import { getSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { prepareMachine } from "../programs/start-node.ts";
import { writeClusterFiles } from "../programs/write-cluster-files.ts";
import { operations } from "./operations.ts";

/** `k8ts prepare`: prepares everything that the programs of a cluster need at their start; systemd runs it at boot. */
export const main = command({
  name: "prepare",
  description: "Writes the files of a cluster, and makes its network, before its programs start.",
  examples: [["As the unit of the cluster does", "prepare"]],
  flags: clusterFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const progress = new Progress();
    await finishOperation(paths, operations, "before start", progress);
    const settings = getSettings(paths);
    await prepareMachine(progress, settings, true);
    await writeClusterFiles(paths, settings);
    return 0;
  },
});
