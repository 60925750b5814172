import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { paintFor } from "../base/paint.ts";
import { findSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { paintStatus } from "./paint-status.ts";
import { readStatus } from "./read-status.ts";
import { renderStatus } from "./render-status.ts";

const statusFlags = {
  ...clusterFlags,
  output: {
    type: "string",
    shorthand: "o",
    help: "The `format`: empty for a screen of text, or json.",
  },
} as const;

/** `k8ts status`: the health of a cluster of this machine on one screen. */
export const main = command({
  name: "status",
  description: `Shows the health of a cluster on one screen: its programs, nodes, sick Pods, what it
offers and what it lacks, and the disk. The exit code is 0 if all is well.`,
  examples: [
    ["Show the cluster that kubectl uses", "status"],
    ["For a script", "status -o json"],
  ],
  flags: statusFlags,
  async run({ values }) {
    if (!["", "json"].includes(values.output)) {
      throw new CommandFailure(`--output must be json or empty, not "${values.output}"`);
    }
    const paths = pathsOf(values);
    const settings = findSettings(paths);
    if (!settings) {
      throw new CommandFailure(
        `there is no cluster "${values.name}" in ${paths.folder}; start one: ${ownCommand("up", values.name)}`,
      );
    }
    const status = await readStatus(paths, settings);
    const json = () => `${JSON.stringify(status, undefined, 2)}\n`;
    const screen = () => paintStatus(renderStatus(status), paintFor(process.stdout));
    process.stdout.write(values.output === "json" ? json() : screen());
    return status.healthy ? 0 : 1;
  },
});
