/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { hasCode } from "../../client/aws-error.ts";
import {
  deleteLoadBalancer,
  deleteTargetGroup,
  describeTargetGroups,
  type TargetGroup,
} from "../../client/elbv2-operations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import type { ServiceGoal } from "../base/goal.ts";
import { groupsToDelete } from "../base/groups-to-delete.ts";
import type { SecurityGroup } from "../base/plan-groups.ts";
import { deleteGroups, listGroups } from "../base/security-groups.ts";
import { action, type Session, wrap } from "../base/session.ts";
import { findNetwork } from "./ensure-network.ts";
import { managedGroupName, networkPorts, targetGroupName, targetTypeOf } from "./network-ports.ts";
import { planNodeGroups } from "./plan-node-groups.ts";

/** Deletes the network load balancer of a Service with its target groups, its security group, and rules for it. */
export async function removeNetwork(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
): Promise<void> {
  const found = await findNetwork(session, goal.name);
  const targetGroups = found
    ? await groupsOf(session, found.LoadBalancerArn ?? "")
    : await leftTargetGroups(session, environment, goal);
  const groups = await listGroups(session);
  const lbGroupIds = found?.SecurityGroups ?? leftSecurityGroups(groups, environment, goal);
  const owned = groups.filter(({ tagSet }) => environment.tags.isOwned(tagSet));
  const deleted = groupsToDelete(owned, lbGroupIds, environment, goal.annotations);
  const deleting = "error deleting target groups after deleting load balancer: %q";
  const arn = found?.LoadBalancerArn ?? "";
  const failure = `error deleting load balancer "${goal.name}": %v` as const;
  await session.applyAll([
    ...(found ? [action(deleteLoadBalancer, { LoadBalancerArn: arn }, failure)] : []),
    ...targetGroups.map(({ TargetGroupArn = "" }) =>
      action(deleteTargetGroup, { TargetGroupArn }, deleting),
    ),
    ...planClosing(groups, environment, goal),
  ]);
  await deleteGroups(session, goal.service.metadata?.name ?? "", deleted);
}

/** Whether a program that was interrupted left parts of a deleted load balancer. */
export async function hasNetworkLeftovers(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
): Promise<boolean> {
  const targetGroups = await leftTargetGroups(session, environment, goal);
  if (targetGroups.length > 0) return true;
  const groups = await listGroups(session);
  if (leftSecurityGroups(groups, environment, goal).length > 0) return true;
  return planClosing(groups, environment, goal).length > 0;
}

function planClosing(
  groups: readonly SecurityGroup[],
  { config, tags }: LbEnvironment,
  { name }: ServiceGoal,
) {
  if (config.DisableSecurityGroupIngress) return [];
  return planNodeGroups({
    loadBalancerName: name,
    groups,
    tags,
    fixedGroupId: config.ElbSecurityGroup,
    instances: [],
    ports: [],
    clientRanges: [],
    ownRanges: [],
  });
}

async function groupsOf(session: Session, arn: string): Promise<readonly TargetGroup[]> {
  const failure = "error listing target groups before deleting load balancer: %q";
  const params = { LoadBalancerArn: arn };
  return (await session.read(describeTargetGroups, params, failure)).TargetGroups;
}

/** Target groups of the Service's ports that no load balancer uses. */
async function leftTargetGroups(
  session: Session,
  environment: LbEnvironment,
  { service }: ServiceGoal,
): Promise<readonly TargetGroup[]> {
  const type = targetTypeOf(service);
  const { clusterId } = environment.tags;
  const ports = networkPorts(service, environment.config);
  const found: TargetGroup[] = [];
  for (const port of ports) {
    // AWS refuses a list of names if one of them is unknown.
    const params = { Names: [targetGroupName(clusterId, service, port, type)] };
    const listed = await session.read(describeTargetGroups, params).catch((error: unknown) => {
      if (hasCode(error, "TargetGroupNotFound")) return { TargetGroups: [] };
      throw wrap(error, "error listing target groups: %q");
    });
    found.push(
      ...listed.TargetGroups.filter(({ LoadBalancerArns }) => LoadBalancerArns.length === 0),
    );
  }
  return found;
}

function leftSecurityGroups(
  groups: readonly SecurityGroup[],
  { vpcId, tags, clusterName }: LbEnvironment,
  { service }: ServiceGoal,
): string[] {
  const wanted = managedGroupName(clusterName, service);
  return groups
    .filter(({ groupName, vpcId: vpc }) => groupName === wanted && vpc === vpcId)
    .filter(({ tagSet }) => tags.isOwned(tagSet))
    .flatMap(({ groupId }) => groupId ?? []);
}
