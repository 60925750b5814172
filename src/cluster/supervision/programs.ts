import { hasOwnMember } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { etcdProgram, memberLaunchFile } from "../etcd/member-launch.ts";
import { enterMounts } from "../machine/kubelet-folder.ts";
import { namespaceFile } from "../machine/network-namespace.ts";
import { launcherOf } from "../release/versions.ts";
import { ownRuntime, startFiles } from "../runtimes/own-runtime.ts";
import type { RuntimeProgram } from "../runtimes/runtime.ts";
import { startedFile } from "./started-with.ts";
import type { Program } from "./supervisor.ts";

/** A command that starts a program by the first of its files. They are stored, to be compared with later ones. */
const recorded = (
  paths: ClusterPaths,
  name: string,
  files: readonly string[],
): readonly string[] => [
  "sh",
  "-c",
  '(umask 077 && cat "$@" >"$0") && exec sh "$1"',
  startedFile(paths, name),
  ...files,
];

const ofRuntime = (paths: ClusterPaths, program: RuntimeProgram): Program => ({
  name: program.name,
  command: recorded(paths, program.name, startFiles(paths, program)),
});

/** Whether a program of this machine is a member of etcd. */
const hasMember = (settings: ClusterSettings): boolean =>
  settings.role === "server" && hasOwnMember(settings);

/** The member of etcd of a server. */
const member = (paths: ClusterPaths): Program => ({
  name: etcdProgram,
  command: recorded(paths, etcdProgram, [memberLaunchFile(paths)]),
});

/** A command in the namespaces of a cluster, if it has its own. */
export function inNamespaceOf(
  settings: ClusterSettings,
  command: readonly string[],
  mounts = enterMounts(settings),
): readonly string[] {
  const { networkNamespace } = settings;
  if (!networkNamespace) return command;
  return ["nsenter", `--net=${namespaceFile(networkNamespace)}`, ...mounts, ...command];
}

/** The programs that make up a cluster on this machine, in the order in which they are started. */
export function programs(paths: ClusterPaths, settings: ClusterSettings): Program[] {
  const launcher = launcherOf(paths);
  return [
    ...(hasMember(settings) ? [member(paths)] : []),
    ...(settings.role === "server"
      ? [{ name: "server", command: [launcher, "server", paths.folder], sendsHeartbeats: true }]
      : []),
    ...(ownRuntime(settings)?.programs ?? []).map((program) => ofRuntime(paths, program)),
    { name: "agent", command: [launcher, "agent", paths.folder], sendsHeartbeats: true },
  ].map((program) => ({ ...program, command: inNamespaceOf(settings, program.command) }));
}
