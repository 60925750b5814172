/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */

import type { ClusterTags } from "../../base/cluster-tags.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import {
  difference,
  fromRule,
  type IpPermission,
  isDescribed,
  openTo,
  ungroup,
  unique,
} from "../base/ip-permissions.ts";
import { allow, revoke, type SecurityGroup } from "../base/plan-groups.ts";
import { groupOfInstance } from "../base/security-groups.ts";
import type { AwsAction } from "../base/session.ts";
import { trafficPort } from "./network-health-check.ts";
import type { NetworkPort } from "./network-ports.ts";

const healthRule = "kubernetes.io/rule/nlb/health";
const clientRule = "kubernetes.io/rule/nlb/client";
const mtuRule = "kubernetes.io/rule/nlb/mtu";
const everywhere = "0.0.0.0/0";

interface NetworkNodeGroupFacts {
  readonly loadBalancerName: string;
  /** All groups, in order of their ids. */
  readonly groups: readonly SecurityGroup[];
  readonly tags: ClusterTags;
  /** A group that is never changed; empty for none. */
  readonly fixedGroupId: string;
  /** None while a load balancer is deleted. */
  readonly instances: Iterable<Ec2Instance>;
  readonly ports: readonly NetworkPort[];
  readonly clientRanges: readonly string[];
  /** The networks of the load balancer itself, from which it checks health. */
  readonly ownRanges: readonly string[];
}

/** Opens the groups of instances to clients and health checks, and closes others of the cluster. */
export function planNodeGroups(facts: NetworkNodeGroupFacts): AwsAction[] {
  const { groups, tags, instances } = facts;
  const tagged = new Set(
    groups.filter(({ tagSet }) => tags.has(tagSet)).map(({ groupId = "" }) => groupId),
  );
  const open = new Set<string>();
  for (const instance of instances) {
    const id = groupOfInstance(instance, tagged);
    if (id !== undefined) open.add(id);
  }
  return groups
    .filter(({ groupId = "" }) => tagged.has(groupId) || open.has(groupId))
    .flatMap((group) => {
      if (group.groupId === facts.fixedGroupId) return [];
      return planGroup(group, open.has(group.groupId ?? ""), facts);
    });
}

/** The rules of a group while its changes are planned. */
interface Rules {
  readonly groupId: string;
  permissions: IpPermission[];
  readonly actions: AwsAction[];
}

function planGroup(
  { groupId = "", ipPermissions }: SecurityGroup,
  isOpen: boolean,
  { loadBalancerName, ports, clientRanges, ownRanges }: NetworkNodeGroupFacts,
): AwsAction[] {
  const permissions = ungroup(ipPermissions.map(fromRule));
  const rules: Rules = { groupId, permissions, actions: [] };
  const client = `${clientRule}=${loadBalancerName}`;
  const health = `${healthRule}=${loadBalancerName}`;
  const protocol = ports.some(({ targetProtocol }) => targetProtocol === "UDP") ? "udp" : "tcp";
  const clientPorts = new Set(ports.map(({ targetPort }) => targetPort));
  const healthPorts = new Set(ports.map(healthPortOf));
  const rule = (name: string, over: string, numbers: Iterable<number>, ranges: readonly string[]) =>
    [...numbers].flatMap((port) =>
      ranges.map((range) => openTo(over, { from: port, to: port }, range, name)),
    );
  // A rule for all clients covers health checks of the same ports.
  const isCovered =
    clientRanges.length === 1 &&
    clientRanges[0] === everywhere &&
    protocol === "tcp" &&
    healthPorts.symmetricDifference(clientPorts).size === 0;
  if (!isOpen) replace(rules, health, []);
  else if (!isCovered) replace(rules, health, rule(health, "tcp", healthPorts, ownRanges));
  replace(rules, client, isOpen ? rule(client, protocol, clientPorts, clientRanges) : []);
  // Also if nothing else has changed: a program that was interrupted may have left these out.
  replaceMtuRules(rules);
  return rules.actions;
}

function healthPortOf({ healthCheck, targetPort }: NetworkPort): number {
  return healthCheck.port === trafficPort ? targetPort : Number(healthCheck.port);
}

/** The rules of this description become those that are wanted. */
function replace(rules: Rules, description: string, wanted: readonly IpPermission[]): void {
  const { groupId, permissions, actions } = rules;
  const added = difference(wanted, permissions);
  const removed = difference(permissions, wanted).filter((one) => isDescribed(one, description));
  if (removed.length > 0) actions.push(revoke(groupId, removed));
  if (added.length > 0) actions.push(allow(groupId, added));
  rules.permissions = [...permissions.filter((one) => !removed.includes(one)), ...added];
}

/** Clients of load balancers find the size of packets by ICMP. */
function replaceMtuRules(rules: Rules): void {
  const ranges = rules.permissions.flatMap(({ IpRanges = [] }) =>
    IpRanges.filter(({ Description = "" }) => Description.includes(clientRule)),
  );
  const wanted = ranges.map(({ CidrIp = "" }) =>
    openTo("icmp", { from: 3, to: 4 }, CidrIp, mtuRule),
  );
  replace(rules, mtuRule, unique(wanted));
}
