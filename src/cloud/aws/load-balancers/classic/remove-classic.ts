/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { describeSecurityGroups } from "../../client/ec2-operations.ts";
import { deleteLoadBalancer } from "../../client/elb-operations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import type { ServiceGoal } from "../base/goal.ts";
import { groupsToDelete } from "../base/groups-to-delete.ts";
import type { SecurityGroup } from "../base/plan-groups.ts";
import { deleteGroups, listGroups } from "../base/security-groups.ts";
import type { Session } from "../base/session.ts";
import { findClassic } from "./ensure-classic.ts";
import { planNodeGroups, sortLbGroups } from "./plan-node-groups.ts";

/** Deletes the classic load balancer of a Service, its security group, and rules that refer to it. */
export async function removeClassic(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
): Promise<void> {
  const found = await findClassic(session, goal.name);
  const groups = await listGroups(session);
  const leftover = findLeftover(groups, environment, goal);
  const lbGroupIds = found?.SecurityGroups ?? (leftover ? [leftover] : []);
  if (found && lbGroupIds.length === 0) {
    throw new Error(`could not determine security group for load balancer: ${goal.name}`);
  }
  if (lbGroupIds.length === 0) return;
  const deleted = groupsToDelete(groups, lbGroupIds, environment, goal.annotations);
  await closeNodeGroups(session, environment, goal, { groups, lbGroupIds, deleted });
  if (found) await session.apply(deleteLoadBalancer, { LoadBalancerName: goal.name }, {});
  await deleteGroups(session, goal.service.metadata?.name ?? "", deleted);
}

/** Whether a program that was interrupted left the group of a deleted load balancer. */
export async function hasClassicLeftovers(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
): Promise<boolean> {
  const filters = [
    { Name: "group-name", Value: [groupName(goal)] },
    { Name: "vpc-id", Value: [environment.vpcId] },
  ];
  const { securityGroupInfo } = await session.read(describeSecurityGroups, { Filter: filters });
  return findLeftover(securityGroupInfo, environment, goal) !== undefined;
}

function groupName({ name }: ServiceGoal): string {
  return `k8s-elb-${name}`;
}

function findLeftover(
  groups: readonly SecurityGroup[],
  { vpcId, tags }: LbEnvironment,
  goal: ServiceGoal,
): string | undefined {
  return groups.find(
    ({ groupName: name, vpcId: vpc, tagSet }) =>
      name === groupName(goal) && vpc === vpcId && tags.isOwned(tagSet),
  )?.groupId;
}

async function closeNodeGroups(
  session: Session,
  { config, tags }: LbEnvironment,
  { annotations }: ServiceGoal,
  facts: {
    readonly groups: readonly SecurityGroup[];
    readonly lbGroupIds: readonly string[];
    readonly deleted: readonly string[];
  },
): Promise<void> {
  if (config.DisableSecurityGroupIngress) return;
  const { groups, lbGroupIds, deleted } = facts;
  const tagged = groups
    .filter(({ tagSet }) => tags.has(tagSet))
    .flatMap(({ groupId = "" }) => (lbGroupIds.includes(groupId) ? [groupId] : []));
  const [source = ""] = sortLbGroups(lbGroupIds, annotations, new Set(tagged));
  const isDeleting = deleted.includes(source);
  const fixedGroupId = config.ElbSecurityGroup;
  const all = { lbGroupIds, groups, instances: [], tags, fixedGroupId, isDeleting };
  await session.applyAll(planNodeGroups(all, annotations));
}
