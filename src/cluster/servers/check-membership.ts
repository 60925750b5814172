import { CommandFailure } from "../base/command-failure.ts";
import { hasOwnMember } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { memberAddresses } from "./member-addresses.ts";
import { removalProblem } from "./removal-problem.ts";

/** Limit of the time (ms) to an answer of each of the others. */
const askMs = 2_000;

/** Throws if the other servers have removed this one: its etcd would end again and again. They may also be down. */
export async function checkMembership(
  paths: ClusterPaths,
  settings: ClusterSettings,
): Promise<void> {
  if (settings.role !== "server" || !hasOwnMember(settings)) return;
  const others = memberAddresses(paths, settings).filter((url) => !isOwn(url, settings));
  if (others.length === 0) return;
  using members = new EtcdMembers(paths, others);
  const list = await members.list(askMs).catch(() => undefined);
  const problem = list && removalProblem(list, settings);
  if (problem) throw new CommandFailure(problem);
}

const isOwn = (url: string, { nodeIp }: ClusterSettings): boolean =>
  new URL(url).hostname.replace(/^\[(.*)\]$/, "$1") === nodeIp;
