/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import type { LoadBalancerStatus, Service } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { hasCode } from "../../client/aws-error.ts";
import {
  describeListeners,
  describeLoadBalancerAttributes,
  describeLoadBalancers,
  describeTargetGroupAttributes,
  describeTargetGroups,
  type NetworkLoadBalancer,
  setIpAddressType,
  setSecurityGroups,
} from "../../client/elbv2-operations.ts";
import { annotationsOf, lbAnnotations } from "../base/annotations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import { findLbSubnets, subnetCidrs } from "../base/find-subnets.ts";
import type { ServiceGoal } from "../base/goal.ts";
import { listGroups, removeDetachedGroups } from "../base/security-groups.ts";
import { action, type Session, wrap } from "../base/session.ts";
import { sourceRanges } from "../base/source-ranges.ts";
import { createNetwork } from "./create-network.ts";
import { PortSteps } from "./ensure-ports.ts";
import {
  networkAttributes,
  planAttributes,
  planTargetGroupAttributes,
  toMap,
} from "./network-attributes.ts";
import { ensureNetworkGroups, planManagedRules } from "./network-groups.ts";
import { type NetworkPort, targetFamilyOf, targetTypeOf } from "./network-ports.ts";
import { planNodeGroups } from "./plan-node-groups.ts";
import { type PortStep, planPorts } from "./plan-ports.ts";

/** Makes the network load balancer of a Service what it must be. */
export async function ensureNetwork(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  ports: readonly NetworkPort[],
): Promise<LoadBalancerStatus> {
  const { annotations, service, name } = goal;
  const subnets = await findLbSubnets(session, environment, annotations);
  const existing = await findNetwork(session, name).catch((error: unknown) => {
    throw wrap(error, `error describing load balancer ${name}: %v`);
  });
  const groups = await ensureNetworkGroups(session, environment, goal, existing);
  const subnetIds = subnets.map(({ subnetId = "" }) => subnetId);
  const isDualStack = wantsDualStack(service);
  const loadBalancer = existing
    ? await change(session, environment, goal, { ports, groupIds: groups.ids, existing })
    : await create(session, environment, goal, ports, {
        subnetIds,
        groupIds: groups.ids,
        isDualStack,
      });
  await ensureAttributes(session, goal, loadBalancer, existing === undefined);
  const ranges = sourceRanges(service);
  if (groups.managed) {
    await session.applyAll(planManagedRules(groups.managed, ports, ranges, isDualStack));
  }
  const detached = (existing?.SecurityGroups ?? []).filter((id) => !groups.ids.includes(id));
  await removeDetachedGroups(session, environment, name, detached);
  const own = loadBalancer.AvailabilityZones.flatMap(({ SubnetId }) => SubnetId ?? []);
  if (own.length === 0) throw new Error(`did not find ensured subnets on LB ${name}`);
  const ownRanges = await subnetCidrs(session, subnets, own);
  await ensureNodeGroups(session, environment, goal, { ports, clientRanges: ranges, ownRanges });
  return networkStatus(loadBalancer);
}

export async function findNetwork(
  session: Session,
  name: string,
): Promise<NetworkLoadBalancer | undefined> {
  try {
    const { LoadBalancers } = await session.read(describeLoadBalancers, { Names: [name] });
    const found = LoadBalancers.find(({ Type }) => Type === "network");
    if (found) return found;
  } catch (error) {
    if (hasCode(error, "LoadBalancerNotFound")) return undefined;
    throw wrap(error, "error describing load balancer: %q");
  }
  throw new Error(`NLB '${name}' could not be found`);
}

export function networkStatus({ DNSName, State }: NetworkLoadBalancer): LoadBalancerStatus {
  const isUsable = State?.Code === "active" || State?.Code === "provisioning";
  return DNSName && isUsable ? { ingress: [{ hostname: DNSName }] } : {};
}

/** Whether clients of both families are wanted: by the annotation, by IPv6 targets, or by the Service's families. */
function wantsDualStack(service: Service): boolean {
  const text = annotationsOf(service)[lbAnnotations.addressType];
  if (text !== undefined) return text === "dualstack";
  if (targetFamilyOf(service) === "ipv6") return true;
  const { ipFamilies = [], ipFamilyPolicy = "SingleStack" } = service.spec ?? {};
  return ipFamilyPolicy !== "SingleStack" && ipFamilies.length > 1;
}

async function create(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  ports: readonly NetworkPort[],
  settings: Parameters<typeof createNetwork>[3],
): Promise<NetworkLoadBalancer> {
  const made = await createNetwork(session, environment, goal, settings);
  const { LoadBalancerArn: arn = "", VpcId: vpcId = "" } = made;
  await new PortSteps(session, environment, goal, { arn, vpcId }).createAll(ports);
  return made;
}

async function change(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  facts: {
    readonly ports: readonly NetworkPort[];
    readonly groupIds: readonly string[];
    readonly existing: NetworkLoadBalancer;
  },
): Promise<NetworkLoadBalancer> {
  const { ports, groupIds, existing } = facts;
  const { LoadBalancerArn: arn = "", VpcId: vpcId = "", SecurityGroups, IpAddressType } = existing;
  const hasOtherGroups = new Set(groupIds).symmetricDifference(new Set(SecurityGroups)).size > 0;
  if (hasOtherGroups && groupIds.length > 0) {
    const failure = "error setting security groups on load balancer: %v";
    const params = { LoadBalancerArn: arn, SecurityGroups: groupIds };
    await session.applyAll([action(setSecurityGroups, params, failure)]);
  }
  const isDualStack = wantsDualStack(goal.service);
  if (isDualStack !== (IpAddressType === "dualstack") && IpAddressType !== undefined) {
    const params = { LoadBalancerArn: arn, IpAddressType: isDualStack ? "dualstack" : "ipv4" };
    const failure = "error setting the address type of the load balancer: %q";
    await session.applyAll([action(setIpAddressType, params, failure)]);
  }
  const steps = new PortSteps(session, environment, goal, { arn, vpcId });
  for (const step of await observePorts(session, goal, ports, arn)) await steps.apply(step);
  return existing;
}

async function observePorts(
  session: Session,
  { service }: ServiceGoal,
  ports: readonly NetworkPort[],
  arn: string,
): Promise<PortStep[]> {
  const ofLb = { LoadBalancerArn: arn };
  const { Listeners } = await session.read(
    describeListeners,
    ofLb,
    "error describing listeners: %q",
  );
  const listing = "error listing target groups: %q";
  const { TargetGroups } = await session.read(describeTargetGroups, ofLb, listing);
  const targets = { type: targetTypeOf(service), family: targetFamilyOf(service) };
  return planPorts(ports, Listeners, TargetGroups, targets);
}

/** Changes only targets; false, and no change, if more of the load balancer's ports differs. */
export async function updateTargets(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  ports: readonly NetworkPort[],
): Promise<boolean> {
  const existing = await findNetwork(session, goal.name);
  if (!existing) return false;
  const { LoadBalancerArn: arn = "", VpcId: vpcId = "" } = existing;
  const planned = await observePorts(session, goal, ports, arn);
  const kept = planned.flatMap((step) =>
    step.do === "keep" && !step.changesListener ? [step] : [],
  );
  if (kept.length < planned.length) return false;
  const steps = new PortSteps(session, environment, goal, { arn, vpcId });
  for (const { port, targetGroup } of kept) {
    await steps.updateTargets(port, targetGroup.TargetGroupArn ?? "");
  }
  return true;
}

/** The attributes of the load balancer, and those of its target groups if an annotation has them. */
async function ensureAttributes(
  session: Session,
  { annotations }: ServiceGoal,
  { LoadBalancerArn: arn = "" }: NetworkLoadBalancer,
  isNew: boolean,
): Promise<void> {
  const wanted = networkAttributes(annotations);
  const ofLb = { LoadBalancerArn: arn };
  const failure = "unable to retrieve load balancer attributes during attribute sync: %q";
  const { Attributes } = isNew
    ? await session.readCreated(describeLoadBalancerAttributes, ofLb, defaultAttributes, failure)
    : await session.read(describeLoadBalancerAttributes, ofLb, failure);
  await session.applyAll(planAttributes(arn, wanted, toMap(Attributes)));
  if (!Object.hasOwn(annotations, lbAnnotations.targetGroupAttributes)) return;
  const none = { TargetGroups: [], NextMarker: undefined };
  const around = "error reconciling target group attributes";
  const listing = `error updating target groups attributes from load balancer ${goQuote(arn)}`;
  const { TargetGroups } = await session
    .readCreated(describeTargetGroups, ofLb, none)
    .catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`${around}: ${goQuote(`${listing}: ${text}`)}`, { cause: error });
    });
  for (const { TargetGroupArn = "" } of TargetGroups) {
    const params = { TargetGroupArn };
    const { Attributes: found } = await session.read(describeTargetGroupAttributes, params);
    await session.applyAll(planTargetGroupAttributes(TargetGroupArn, annotations, toMap(found)));
  }
}

/** AWS' defaults, which a dry run takes for those of a new load balancer. */
const defaultAttributes = {
  Attributes: [
    { Key: "load_balancing.cross_zone.enabled", Value: "false" },
    { Key: "access_logs.s3.enabled", Value: "false" },
  ],
};

async function ensureNodeGroups(
  session: Session,
  { config, tags }: LbEnvironment,
  { name, instances }: ServiceGoal,
  facts: {
    readonly ports: readonly NetworkPort[];
    readonly clientRanges: readonly string[];
    readonly ownRanges: readonly string[];
  },
): Promise<void> {
  if (config.DisableSecurityGroupIngress) return;
  const groups = await listGroups(session);
  await session.applyAll(
    planNodeGroups({
      ...facts,
      loadBalancerName: name,
      groups,
      tags,
      fixedGroupId: config.ElbSecurityGroup,
      instances: instances.values(),
    }),
  );
}
