/** Upstream: cloud-provider-aws pkg/providers/v1/sets_ippermissions.go, aws.go. */

import type { IpPermissionParam, securityGroupRule } from "../../client/ec2-operations.ts";
import type { Value } from "../../client/shape.ts";

export type IpPermission = IpPermissionParam;

/** A rule of a security group as a parameter. */
export function fromRule(rule: Value<typeof securityGroupRule>): IpPermission {
  const { ipProtocol, fromPort, toPort } = rule;
  const described = (description: string | undefined) =>
    description === undefined ? {} : { Description: description };
  const groups = rule.groups.map(({ groupId, userId, groupName, description }) => ({
    ...(groupId === undefined ? {} : { GroupId: groupId }),
    ...(userId === undefined ? {} : { UserId: userId }),
    ...(groupName === undefined ? {} : { GroupName: groupName }),
    ...described(description),
  }));
  const ranges = rule.ipRanges.map(({ cidrIp = "", description }) => ({
    CidrIp: cidrIp,
    ...described(description),
  }));
  const ranges6 = rule.ipv6Ranges.map(({ cidrIpv6 = "", description }) => ({
    CidrIpv6: cidrIpv6,
    ...described(description),
  }));
  const lists = rule.prefixListIds.map(({ prefixListId = "", description }) => ({
    PrefixListId: prefixListId,
    ...described(description),
  }));
  return {
    ...(ipProtocol === undefined ? {} : { IpProtocol: ipProtocol }),
    ...(fromPort === undefined ? {} : { FromPort: fromPort }),
    ...(toPort === undefined ? {} : { ToPort: toPort }),
    ...(groups.length === 0 ? {} : { Groups: groups }),
    ...(ranges.length === 0 ? {} : { IpRanges: ranges }),
    ...(ranges6.length === 0 ? {} : { Ipv6Ranges: ranges6 }),
    ...(lists.length === 0 ? {} : { PrefixListIds: lists }),
  };
}

/** A rule that opens ports to a network. */
export function openTo(
  protocol: string,
  ports: { readonly from: number; readonly to: number },
  range: string,
  description?: string,
): IpPermission {
  const described = description === undefined ? {} : { Description: description };
  const rule = { FromPort: ports.from, ToPort: ports.to, IpProtocol: protocol };
  return { ...rule, IpRanges: [{ CidrIp: range, ...described }] };
}

/** The same rule with networks of IPv6 where EC2 has them. */
export function withIpv6(permission: IpPermission): IpPermission {
  const { IpRanges = [], ...rest } = permission;
  const isIpv6 = ({ CidrIp = "" }: { readonly CidrIp?: string }) => CidrIp.includes(":");
  const ranges6 = IpRanges.filter(isIpv6);
  if (ranges6.length === 0) return permission;
  const ranges = IpRanges.filter((range) => !isIpv6(range));
  return {
    ...rest,
    ...(ranges.length === 0 ? {} : { IpRanges: ranges }),
    Ipv6Ranges: ranges6.map(({ CidrIp = "", ...described }) => ({
      CidrIpv6: CidrIp,
      ...described,
    })),
  };
}

/** Splits rules so that each has at most one source of each kind: EC2 merges rules of the same ports. */
export function ungroup(permissions: readonly IpPermission[]): IpPermission[] {
  const split = permissions.flatMap((permission) =>
    each(permission.IpRanges, (IpRanges) => ({ ...permission, IpRanges }), permission)
      .flatMap((one) => each(one.Ipv6Ranges, (Ipv6Ranges) => ({ ...one, Ipv6Ranges }), one))
      .flatMap((one) => each(one.Groups, (Groups) => ({ ...one, Groups }), one))
      .flatMap((one) =>
        each(one.PrefixListIds, (PrefixListIds) => ({ ...one, PrefixListIds }), one),
      ),
  );
  return unique(split);
}

function each<T>(
  list: readonly T[] | undefined,
  withOne: (list: readonly T[]) => IpPermission,
  whole: IpPermission,
): IpPermission[] {
  if (list === undefined || list.length <= 1) return [whole];
  return list.map((one) => withOne([one]));
}

/** The rules of the first list that no rule of the second one covers. */
export function difference(
  permissions: readonly IpPermission[],
  others: readonly IpPermission[],
): IpPermission[] {
  return permissions.filter((one) => !others.some((other) => covers(other, one)));
}

/** Whether a rule lets in all that another one does. Descriptions do not count. */
export function covers(existing: IpPermission, wanted: IpPermission): boolean {
  if (existing.FromPort !== wanted.FromPort || existing.ToPort !== wanted.ToPort) return false;
  if (existing.IpProtocol !== wanted.IpProtocol) return false;
  const has = <T>(list: readonly T[] | undefined, key: (one: T) => string | undefined) =>
    new Set((list ?? []).map(key));
  const ranges = has(existing.IpRanges, ({ CidrIp }) => CidrIp);
  const ranges6 = has(existing.Ipv6Ranges, ({ CidrIpv6 }) => CidrIpv6);
  const groups = has(existing.Groups, ({ GroupId }) => GroupId);
  return (
    (wanted.IpRanges ?? []).every(({ CidrIp }) => ranges.has(CidrIp)) &&
    (wanted.Ipv6Ranges ?? []).every(({ CidrIpv6 }) => ranges6.has(CidrIpv6)) &&
    (wanted.Groups ?? []).every(({ GroupId }) => groups.has(GroupId))
  );
}

/** Whether a source of the rule has this description. */
export function isDescribed(permission: IpPermission, description: string): boolean {
  const sources = [
    ...(permission.IpRanges ?? []),
    ...(permission.Ipv6Ranges ?? []),
    ...(permission.PrefixListIds ?? []),
    ...(permission.Groups ?? []),
  ];
  return sources.some(({ Description }) => Description === description);
}

export function unique(permissions: readonly IpPermission[]): IpPermission[] {
  return [...new Map(permissions.map((one) => [JSON.stringify(one), one])).values()];
}
