/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import type { ClusterTags } from "../../base/cluster-tags.ts";
import {
  authorizeSecurityGroupIngress,
  createTags,
  type describeSecurityGroups,
  revokeSecurityGroupIngress,
} from "../../client/ec2-operations.ts";
import type { ResultOf } from "../../client/operation.ts";
import { difference, fromRule, type IpPermission, ungroup } from "./ip-permissions.ts";
import { type AwsAction, action } from "./session.ts";

export type SecurityGroup = ResultOf<typeof describeSecurityGroups>["securityGroupInfo"][number];

export interface EnsuredGroup {
  readonly id: string;
  /** The rules that it has. */
  readonly permissions: readonly IpPermission[];
}

/** Adds the cluster's tags to a group that was created without them. */
export function planTags({ groupId = "", tagSet }: SecurityGroup, tags: ClusterTags): AwsAction[] {
  const actual = new Map(tagSet.map(({ key = "", value = "" }) => [key, value]));
  const missing = Object.entries(tags.build("owned")).filter(([key, value]) => {
    const found = actual.get(key) ?? "";
    if (found === "" || found === value) return found === "";
    const other = `${goQuote(key)}=${goQuote(found)} (expected ${goQuote(value)})`;
    throw new Error(`resource ${goQuote(groupId)} has tag belonging to another cluster: ${other}`);
  });
  if (missing.length === 0) return [];
  const all = Object.entries(tags.build("owned", Object.fromEntries(missing)));
  const failure = `error adding missing tags to resource ${goQuote(groupId)}: %q` as const;
  return [action(createTags, { ResourceId: [groupId], Tag: all.map(toTag) }, failure)];
}

/** A tag as a parameter. */
export function toTag([key, value]: readonly [string, string]) {
  return { Key: key, Value: value };
}

/** Makes the rules of a group exactly those that are wanted: the new ones are added first. */
export function planIngress(
  { id, permissions }: EnsuredGroup,
  wanted: readonly IpPermission[],
): AwsAction[] {
  const [actual, desired] = [ungroup(permissions), ungroup(wanted)];
  const added = difference(desired, actual);
  const removed = difference(actual, desired);
  const prefix = `creating ingress rules for security group ${goQuote(id)}: error` as const;
  return [
    ...(added.length === 0
      ? []
      : [allow(id, added, `${prefix} authorizing security group ingress: %q`)]),
    ...(removed.length === 0
      ? []
      : [revoke(id, removed, `${prefix} revoking security group ingress: %q`)]),
  ];
}

export function allow(
  groupId: string,
  permissions: readonly IpPermission[],
  failure: `${string}%q` = "error authorizing security group ingress: %q",
): AwsAction {
  const params = { GroupId: groupId, IpPermissions: permissions };
  return action(authorizeSecurityGroupIngress, params, failure);
}

export function revoke(
  groupId: string,
  permissions: readonly IpPermission[],
  failure?: AwsAction["failure"],
): AwsAction {
  const params = { GroupId: groupId, IpPermissions: permissions };
  return action(revokeSecurityGroupIngress, params, failure);
}

/** Removes the rules of the cluster's groups that refer to a group. */
export function planReferences(
  groups: readonly SecurityGroup[],
  id: string,
  tags: ClusterTags,
): AwsAction[] {
  return groups
    .filter(({ tagSet }) => tags.has(tagSet))
    .flatMap(({ groupId = "", ipPermissions }) => {
      const rules = ipPermissions.map(fromRule).flatMap((rule) =>
        (rule.Groups ?? [])
          .filter(({ GroupId }) => GroupId === id)
          .map((pair) => {
            const { IpRanges, Ipv6Ranges, PrefixListIds, ...ports } = rule;
            return { ...ports, Groups: [pair] };
          }),
      );
      const failure =
        `error revoking security group ingress rules from ${goQuote(groupId)}: %v` as const;
      return rules.length === 0 ? [] : [revoke(groupId, rules, failure)];
    });
}
