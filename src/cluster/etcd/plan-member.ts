import type { EtcdMember } from "./cluster-service.ts";

/** The state of this server's place among the members. */
interface MemberState {
  readonly name: string;
  readonly peerUrl: string;
  /** Whether this machine has the data of a member. */
  readonly hasData: boolean;
  readonly members: readonly EtcdMember[];
  /** The identifiers of members that answer. */
  readonly healthy: ReadonlySet<bigint>;
}

/** The next step for this server to become a member. */
type MemberStep =
  | { readonly do: "nothing" }
  | { readonly do: "add" }
  | { readonly do: "promote"; readonly member: EtcdMember }
  | { readonly do: "start"; readonly others: readonly string[] }
  | { readonly do: "remove"; readonly member: EtcdMember }
  | { readonly do: "wait"; readonly member: EtcdMember }
  | { readonly do: "refuse"; readonly reason: string };

/** Decides what a server does next to be a member of etcd. Pure. */
export function planMember(state: MemberState): MemberStep {
  const { name, peerUrl, hasData, members, healthy } = state;
  const here = members.find(({ peerUrls }) => peerUrls.includes(peerUrl));
  const namesake = members.find((member) => member.name === name && member !== here);
  if (namesake && healthy.has(namesake.id)) {
    const where = namesake.peerUrls.join(", ");
    return {
      do: "refuse",
      reason: `a server with the name ${name} runs at ${where}: choose another name with --node-name`,
    };
  }
  // A machine that is gone, or that was set up again, makes room for its successor.
  if (namesake) return { do: "remove", member: namesake };
  if (!here) {
    const learner = members.find(({ isLearner }) => isLearner);
    return learner ? { do: "wait", member: learner } : { do: "add" };
  }
  // It has no name before its first start.
  const hasStarted = here.name !== "";
  if (hasStarted && !hasData) return { do: "remove", member: here };
  if (!healthy.has(here.id)) {
    const others = members.filter((member) => member !== here && member.name !== "");
    return {
      do: "start",
      others: others.map((member) => `${member.name}=${member.peerUrls[0]}`),
    };
  }
  return here.isLearner ? { do: "promote", member: here } : { do: "nothing" };
}
