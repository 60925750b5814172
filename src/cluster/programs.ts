import { fileURLToPath } from "node:url";
import { containerdFile } from "./containerd.ts";
import { namespaceFile } from "./network-namespace.ts";
import type { ClusterPaths } from "./paths.ts";
import type { SupervisedProcess } from "./processes.ts";
import type { ClusterSettings } from "./settings.ts";

/** The launcher of this very installation. */
export const launcher = fileURLToPath(new URL("../../k8ts", import.meta.url));

const containerd = (paths: ClusterPaths): SupervisedProcess => ({
  name: "containerd",
  command: ["containerd", "--config", containerdFile(paths)],
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
export function programs(paths: ClusterPaths, settings: ClusterSettings): SupervisedProcess[] {
  return [
    ...(settings.role === "server"
      ? [{ name: "server", command: [launcher, "server", paths.folder] }]
      : []),
    ...(settings.runtimeEndpoint ? [] : [containerd(paths)]),
    { name: "agent", command: [launcher, "agent", paths.folder] },
  ].map(({ name, command }) => ({ name, command: inNamespaceOf(settings, command) }));
}
