/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { goSort } from "#/std/go/go-sort.ts";
import type { ClusterTags } from "../../base/cluster-tags.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import { type Annotations, lbAnnotations, readList } from "../base/annotations.ts";
import { covers, fromRule } from "../base/ip-permissions.ts";
import { allow, revoke, type SecurityGroup } from "../base/plan-groups.ts";
import { groupOfInstance } from "../base/security-groups.ts";
import type { AwsAction } from "../base/session.ts";

interface NodeGroupFacts {
  /** The groups of the load balancer, of which the first one sends the traffic. */
  readonly lbGroupIds: readonly string[];
  /** All groups, in order of their ids. */
  readonly groups: readonly SecurityGroup[];
  readonly instances: Iterable<Ec2Instance>;
  readonly tags: ClusterTags;
  /** A group that is never changed; empty for none. */
  readonly fixedGroupId: string;
  /** True if the load balancer's group is deleted next: then no rule may refer to it. */
  readonly isDeleting: boolean;
}

/** Lets the load balancer's group into the groups of its instances, and out of others of the cluster. */
export function planNodeGroups(facts: NodeGroupFacts, annotations: Annotations): AwsAction[] {
  const { groups, tags, instances, fixedGroupId, isDeleting } = facts;
  const isTagged = ({ tagSet }: SecurityGroup) => tags.has(tagSet);
  const tagged = new Set(groups.filter(isTagged).map(({ groupId = "" }) => groupId));
  const source = sortLbGroups(facts.lbGroupIds, annotations, tagged)[0] ?? "";
  const wanted = new Set<string>();
  for (const instance of instances) {
    const id = groupOfInstance(instance, tagged);
    if (id !== undefined) wanted.add(id);
  }
  const permission = { IpProtocol: "-1", Groups: [{ GroupId: source }] };
  const byId = new Map(groups.map((group) => [group.groupId ?? "", group]));
  const referring = groups.filter((group) => refersTo(group, source));
  const added = [...wanted].filter((id) => !referring.some(({ groupId }) => groupId === id));
  const removed = referring.filter(
    (group) =>
      !wanted.has(group.groupId ?? "") &&
      (isDeleting || isTagged(group)) &&
      group.ipPermissions.some((rule) => covers(fromRule(rule), permission)),
  );
  const changes = [
    ...added.map((id) => ({ id, isAdded: true })),
    ...removed.map(({ groupId = "" }) => ({ id: groupId, isAdded: false })),
  ].filter(({ id }) => id !== fixedGroupId && byId.has(id));
  return changes
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, isAdded }) => (isAdded ? allow(id, [permission]) : revoke(id, [permission])));
}

function refersTo({ ipPermissions }: SecurityGroup, id: string): boolean {
  return ipPermissions.some(({ groups }) => groups.some(({ groupId }) => groupId === id));
}

/** The load balancer's groups: those of annotations in their order, tagged ones first. */
export function sortLbGroups(
  ids: readonly string[],
  annotations: Annotations,
  tagged: ReadonlySet<string>,
): string[] {
  const own = readList(annotations[lbAnnotations.securityGroups]);
  const extra = readList(annotations[lbAnnotations.extraSecurityGroups]);
  const rank = (id: string) => {
    if (own.includes(id)) return own.lastIndexOf(id);
    return extra.includes(id) ? own.length + 1 + extra.lastIndexOf(id) : own.length;
  };
  const isLess = (a: string, b: string) => rank(a) < rank(b) || (tagged.has(a) && !tagged.has(b));
  return goSort(ids, isLess);
}
