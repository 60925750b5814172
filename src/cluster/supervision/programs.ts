import { fileURLToPath } from "node:url";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { containerdFile } from "../machine/containerd.ts";
import { namespaceFile } from "../machine/network-namespace.ts";
import { startedFile } from "./started-with.ts";
import type { Program } from "./supervisor.ts";

/** The launcher of this installation. */
export const launcher = fileURLToPath(new URL("../../../k8ts", import.meta.url));

const containerd = (paths: ClusterPaths): Program => ({
  name: "containerd",
  // The configuration that it has read is stored, to be compared with a later one.
  command: [
    "sh",
    "-c",
    'cp "$0" "$1" && exec containerd --config "$0"',
    containerdFile(paths),
    startedFile(paths, "containerd"),
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
    ...(settings.runtimeEndpoint ? [] : [containerd(paths)]),
    { name: "agent", command: [launcher, "agent", paths.folder], sendsHeartbeats: true },
  ].map((program) => ({ ...program, command: inNamespaceOf(settings, program.command) }));
}
