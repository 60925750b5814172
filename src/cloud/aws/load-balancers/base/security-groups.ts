/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import { hasCode } from "../../client/aws-error.ts";
import {
  createSecurityGroup,
  deleteSecurityGroup,
  describeSecurityGroups,
  type Ec2Instance,
} from "../../client/ec2-operations.ts";
import type { LbEnvironment } from "./environment.ts";
import { fromRule } from "./ip-permissions.ts";
import {
  type EnsuredGroup,
  planReferences,
  planTags,
  type SecurityGroup,
  toTag,
} from "./plan-groups.ts";
import type { Session } from "./session.ts";

/** Limit of attempts to create a group that another program creates at the same time, as in upstream. */
const maxCreations = 30;
const creationDelayMs = 1_000;

interface WantedGroup {
  readonly name: string;
  readonly description: string;
  /** Tags besides the cluster's. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Finds a group by its name, or creates it. */
export async function ensureGroup(
  session: Session,
  { vpcId, tags }: LbEnvironment,
  wanted: WantedGroup,
): Promise<EnsuredGroup> {
  const filters = [
    { Name: "group-name", Value: [wanted.name] },
    { Name: "vpc-id", Value: [vpcId] },
  ];
  const all = Object.entries(tags.build("owned", wanted.tags));
  const params = {
    GroupName: wanted.name,
    GroupDescription: wanted.description,
    VpcId: vpcId,
    TagSpecification: [{ ResourceType: "security-group", Tag: all.map(toTag) }],
  };
  for (let attempt = 1; ; attempt++) {
    const { securityGroupInfo } = await session.read(describeSecurityGroups, { Filter: filters });
    const [found] = securityGroupInfo;
    if (found) {
      await session.applyAll(planTags(found, tags));
      return { id: found.groupId ?? "", permissions: found.ipPermissions.map(fromRule) };
    }
    const predicted = { groupId: `(id of ${wanted.name})` };
    try {
      const { groupId = "" } = await session.apply(createSecurityGroup, params, predicted);
      if (groupId !== "") return { id: groupId, permissions: [] };
    } catch (error) {
      if (!hasCode(error, "InvalidGroup.Duplicate") || attempt >= maxCreations) throw error;
      await session.sleep(creationDelayMs);
      continue;
    }
    throw new Error(`created security group, but id was not returned: ${wanted.name}`);
  }
}

/** All security groups, in order of their ids. */
export async function listGroups(session: Session): Promise<SecurityGroup[]> {
  const failure = "error querying for tagged security groups: %q";
  const { securityGroupInfo } = await session.read(describeSecurityGroups, {}, failure);
  return securityGroupInfo.toSorted((a, b) => ((a.groupId ?? "") < (b.groupId ?? "") ? -1 : 1));
}

/** The group of an instance that load balancers open: the tagged one, or its only one. */
export function groupOfInstance(
  { instanceId, groupSet }: Ec2Instance,
  taggedIds: ReadonlySet<string>,
): string | undefined {
  const groups = groupSet.filter(({ groupId }) => groupId);
  const tagged = groups.filter(({ groupId = "" }) => taggedIds.has(groupId));
  if (tagged.length > 1) {
    const names = tagged.map(({ groupId, groupName }) => `${groupId}(${groupName}) `).join("");
    throw new Error(
      `Multiple tagged security groups found for instance ${instanceId}; ensure only the k8s security group is tagged; the tagged groups were ${names}`,
    );
  }
  if (tagged[0]) return tagged[0].groupId;
  if (groups.length > 1) {
    throw new Error(
      `Multiple untagged security groups found for instance ${instanceId}; ensure the k8s security group is tagged`,
    );
  }
  return groups[0]?.groupId;
}

const deletionDelayMs = 5_000;
/** Limit of the wait for load balancers that still use a group (ms), as in upstream. */
const deletionLimitMs = 600_000;

/** Deletes groups as soon as no load balancer uses them. */
export async function deleteGroups(
  session: Session,
  of: string,
  groupIds: readonly string[],
): Promise<void> {
  const left = new Set(groupIds);
  const endMs = session.monotonicMs() + deletionLimitMs;
  const failed = (reason: string) => {
    const ids = [...left].join(",");
    return new Error(
      `could not delete security groups ${ids} for Load Balancer ${goQuote(of)}: ${reason}`,
    );
  };
  while (left.size > 0) {
    for (const id of left) {
      try {
        await session.apply(deleteSecurityGroup, { GroupId: id }, {});
        left.delete(id);
      } catch (error) {
        if (hasCode(error, "DependencyViolation")) continue;
        const text = goQuote(error instanceof Error ? error.message : String(error));
        throw failed(`error while deleting load balancer security group (${id}): ${text}`);
      }
    }
    if (left.size === 0) return;
    if (session.monotonicMs() > endMs) throw failed("context deadline exceeded");
    await session.sleep(deletionDelayMs);
  }
}

/** Deletes groups that a load balancer no longer has, if they are the cluster's own, and rules that refer to them. */
export async function removeDetachedGroups(
  session: Session,
  { tags }: LbEnvironment,
  loadBalancerName: string,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return;
  const groups = await listGroups(session);
  const owned: string[] = [];
  for (const id of groupIds) {
    const group = groups.find(({ groupId }) => groupId === id);
    if (!group) throw new Error(`security group ${goQuote(id)} not found`);
    await session.applyAll(planReferences(groups, id, tags));
    if (tags.isOwned(group.tagSet)) owned.push(id);
  }
  await deleteGroups(session, loadBalancerName, owned);
}
