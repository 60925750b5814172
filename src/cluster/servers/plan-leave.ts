import type { EtcdMember } from "../etcd/cluster-service.ts";

interface LeaveState {
  readonly members: readonly EtcdMember[];
  /** The identifiers of members that answer. */
  readonly healthy: ReadonlySet<bigint>;
  /** Which one is to go. */
  readonly leaving: (member: EtcdMember) => boolean;
  /** Whether it is this machine's own, which is stopped next; another one must be gone already. */
  readonly isOwn: boolean;
}

type LeavePlan =
  | { readonly do: "remove"; readonly member: EtcdMember }
  /** It is no member of etcd, or no longer. */
  | { readonly do: "nothing" }
  | { readonly do: "refuse"; readonly reason: string };

const majorityOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** Decides whether a server may go from the members of etcd: those that stay must be able to write. Pure. */
export function planLeave({ members, healthy, leaving, isOwn }: LeaveState): LeavePlan {
  const member = members.find(leaving);
  if (!member) return { do: "nothing" };
  if (!isOwn && healthy.has(member.id)) {
    return { do: "refuse", reason: `${member.name} runs: have it leave by itself, on its machine` };
  }
  if (members.length === 1) {
    return { do: "refuse", reason: "it is the only server: the cluster would be gone" };
  }
  const staying = members.filter((one) => one !== member && !one.isLearner);
  const working = staying.filter(({ id }) => healthy.has(id));
  const needed = majorityOf(staying.length);
  if (!member.isLearner && working.length < needed) {
    const counts = `${working.length} of the ${staying.length} that stay run, ${needed} must`;
    return { do: "refuse", reason: `the others could write nothing without it: ${counts}` };
  }
  return { do: "remove", member };
}
