import { rm } from "node:fs/promises";
import { etcdAccess } from "../base/etcd-access.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import {
  etcdProgram,
  type MoreMemberFlags,
  memberFolder,
  memberLaunchFile,
} from "../etcd/member-launch.ts";
import { writeMemberFiles } from "../etcd/write-member-files.ts";
import { setStopping } from "../supervision/processes.ts";
import { programs } from "../supervision/programs.ts";
import { memberReady } from "../supervision/readiness.ts";
import { supervisorOf } from "../supervision/supervisor.ts";

/** Starts this machine's etcd, unless it runs, and waits until it serves. With flags for one start, it is started again. */
export async function startMember(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { timeoutMs, more }: { readonly timeoutMs: number; readonly more?: MoreMemberFlags },
): Promise<void> {
  const supervisor = supervisorOf(paths, settings.name);
  if (more) await supervisor.stop(etcdProgram);
  await writeMemberFiles(paths, settings, more);
  const all = programs(paths, settings);
  await supervisor.install(all);
  for (const program of all) if (program.name === etcdProgram) await supervisor.start(program);
  await memberReady(paths, settings, timeoutMs);
}

export const stopProgram = (
  paths: ClusterPaths,
  { name }: ClusterSettings,
  program: string,
): Promise<void> => supervisorOf(paths, name).stop(program);

/** Stops the server until the cluster is started again: the agent, which starts what is missing, must not start it. */
export async function stopServer(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await setStopping(paths, true);
  await stopProgram(paths, settings, "server");
}

/** Removes this machine's etcd with its data. */
export async function removeMember(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  await stopProgram(paths, settings, etcdProgram);
  await rm(memberFolder(paths), { recursive: true, force: true });
  await rm(memberLaunchFile(paths), { force: true });
}

/** Connects with the etcd of a cluster, at its own address: it may be in another network namespace. */
export async function openEtcd(paths: ClusterPaths, { etcd = {}, nodeIp }: ClusterSettings) {
  const { openEtcdStore } = await import("#/storage/run.ts");
  return await openEtcdStore(etcdAccess(paths, etcd, nodeIp));
}

/** Starts the server again, after a step that has stopped it was taken back. */
export async function startServer(paths: ClusterPaths, settings: ClusterSettings): Promise<void> {
  const supervisor = supervisorOf(paths, settings.name);
  await setStopping(paths, false);
  for (const program of programs(paths, settings)) {
    if (program.name === "server") await supervisor.start(program);
  }
}
