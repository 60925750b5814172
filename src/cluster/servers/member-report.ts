import type { ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, localServer } from "../base/settings.ts";
import type { EtcdMember, EtcdStatus } from "../etcd/cluster-service.ts";
import { EtcdMembers } from "../etcd/etcd-members.ts";
import { clientUrl } from "../etcd/member-launch.ts";
import { memberAddresses } from "./member-addresses.ts";

/** A member of etcd, and its status; undefined if it does not answer. */
export interface MemberReport {
  readonly member: EtcdMember;
  readonly status: EtcdStatus | undefined;
}

/** Opens the members of a server's cluster: at its own one, then at those that it knows. */
export function openMembers(paths: ClusterPaths, settings: ClusterSettings): EtcdMembers {
  const own = new URL(localServer(settings)).hostname.replace(/^\[(.*)\]$/, "$1");
  return new EtcdMembers(paths, [clientUrl(own), ...memberAddresses(paths, settings)]);
}

/** All members, in the order of their names. */
export async function readMembers(members: EtcdMembers): Promise<MemberReport[]> {
  const list = await members.list();
  const reports = list.map(async (member) => ({ member, status: await members.status(member) }));
  const all = await Promise.all(reports);
  return all.toSorted((a, b) => a.member.name.localeCompare(b.member.name));
}

export const isLeader = ({ member, status }: MemberReport): boolean =>
  status?.leader === member.id && member.id !== 0n;

export const healthyOf = (reports: readonly MemberReport[]): ReadonlySet<bigint> =>
  new Set(reports.flatMap(({ member, status }) => (status ? [member.id] : [])));

/** What a member does, in the words of users. */
export function memberState(report: MemberReport) {
  const { member, status } = report;
  if (!status) return "does not answer";
  if (member.isLearner) return "learner";
  return isLeader(report) ? "leader" : "follower";
}
