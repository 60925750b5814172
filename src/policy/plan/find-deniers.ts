import { parseIp } from "#/std/net/ip.ts";
import type {
  Direction,
  MemberSet,
  Policy,
  PolicyRule,
  PortMatch,
  Protocol,
  Tier,
} from "../model/policy.ts";
import { byPriority } from "./by-priority.ts";
import type { NamedPort } from "./member-index.ts";

/** A connection, as seen from a Pod that policies select. */
interface Attempt {
  readonly direction: Direction;
  /** The address of the other end. */
  readonly peer: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** The named ports of the Pod that is connected to. */
  readonly namedPorts: readonly NamedPort[];
}

/** Whether a selection selects an address. */
type Selects = (set: MemberSet, ip: string) => boolean;

/** The policies, of those that select a Pod, that deny a connection; none if it is allowed. */
export function findDeniers(
  policies: readonly Policy[],
  attempt: Attempt,
  selects: Selects,
): readonly Policy[] {
  const about = policies.filter((policy) => policy[attempt.direction] !== undefined);
  const ofTier = (tier: Tier) => about.filter((policy) => policy.tier === tier);
  const admin = firstMatch(ofTier("Admin"), attempt, selects);
  if (admin?.action === "Deny") return [admin.policy];
  if (admin?.action === "Allow") return [];
  const network = ofTier("Network");
  if (network.length > 0) return firstMatch(network, attempt, selects) ? [] : network;
  const baseline = firstMatch(ofTier("Baseline"), attempt, selects);
  return baseline?.action === "Deny" ? [baseline.policy] : [];
}

function firstMatch(policies: readonly Policy[], attempt: Attempt, selects: Selects) {
  for (const policy of byPriority(policies)) {
    const rule = policy[attempt.direction]?.find((one) => matches(one, attempt, selects));
    if (rule) return { policy, action: rule.action };
  }
  return undefined;
}

function matches({ peers, ports }: PolicyRule, attempt: Attempt, selects: Selects): boolean {
  return (
    (peers === undefined ||
      peers.sets.some((set) => selects(set, attempt.peer)) ||
      peers.ranges.some(({ family, first, last }) => {
        const ip = parseIp(attempt.peer);
        return ip?.family === family && ip.value >= first && ip.value <= last;
      })) &&
    (ports === undefined || ports.some((port) => matchesPort(port, attempt)))
  );
}

function matchesPort({ protocol, from, to = from, name }: PortMatch, attempt: Attempt): boolean {
  if (protocol !== undefined && protocol !== attempt.protocol) return false;
  if (name !== undefined) {
    return attempt.namedPorts.some(
      (one) => one.name === name && one.port === attempt.port && one.protocol === attempt.protocol,
    );
  }
  return from === undefined || (attempt.port >= from && attempt.port <= (to ?? from));
}
