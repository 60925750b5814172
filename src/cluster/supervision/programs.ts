import { fileURLToPath } from "node:url";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { namespaceFile } from "../machine/network-namespace.ts";
import { ownRuntime, startFiles } from "../runtimes/own-runtime.ts";
import type { RuntimeProgram } from "../runtimes/runtime.ts";
import { startedFile } from "./started-with.ts";
import type { Program } from "./supervisor.ts";

/** The launcher of this installation. */
export const launcher = fileURLToPath(new URL("../../../k8ts", import.meta.url));

const ofRuntime = (paths: ClusterPaths, program: RuntimeProgram): Program => ({
  name: program.name,
  // The files that it has read are stored, to be compared with later ones.
  command: [
    "sh",
    "-c",
    '(umask 077 && cat "$@" >"$0") && exec sh "$1"',
    startedFile(paths, program.name),
    ...startFiles(paths, program),
  ],
});

/** A command in the network namespace of a cluster, if it has its own. */
export function inNamespaceOf(
  { networkNamespace }: ClusterSettings,
  command: readonly string[],
): readonly string[] {
  if (!networkNamespace) return command;
  return ["nsenter", `--net=${namespaceFile(networkNamespace)}`, ...command];
}

/** The programs that make up a cluster on this machine, in the order in which they are started. */
export function programs(paths: ClusterPaths, settings: ClusterSettings): Program[] {
  return [
    ...(settings.role === "server"
      ? [{ name: "server", command: [launcher, "server", paths.folder], sendsHeartbeats: true }]
      : []),
    ...(ownRuntime(settings)?.programs ?? []).map((program) => ofRuntime(paths, program)),
    { name: "agent", command: [launcher, "agent", paths.folder], sendsHeartbeats: true },
  ].map((program) => ({ ...program, command: inNamespaceOf(settings, program.command) }));
}
