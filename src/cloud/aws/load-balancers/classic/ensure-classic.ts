/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go, aws_loadbalancer.go. */
import type { LoadBalancerStatus } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { hasCode } from "../../client/aws-error.ts";
import {
  applySecurityGroupsToLoadBalancer,
  type ClassicLoadBalancer,
  createLoadBalancer,
  describeLoadBalancerAttributes,
  describeLoadBalancerPolicies,
  describeLoadBalancers,
  type ElbAttributes,
} from "../../client/elb-operations.ts";
import { isInternal, lbAnnotations, readList, readPairs } from "../base/annotations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import { findLbSubnets } from "../base/find-subnets.ts";
import { lbTags, type ServiceGoal, serviceKey } from "../base/goal.ts";
import { openTo } from "../base/ip-permissions.ts";
import { planIngress } from "../base/plan-groups.ts";
import { ensureGroup, listGroups, removeDetachedGroups } from "../base/security-groups.ts";
import { action, type Session } from "../base/session.ts";
import { sourceRanges } from "../base/source-ranges.ts";
import { classicAttributes, hasAttributes, setAttributes } from "./classic-attributes.ts";
import { planHealthCheck } from "./classic-health-check.ts";
import type { ClassicListener } from "./classic-listeners.ts";
import {
  planInstances,
  planListeners,
  planNewProxyProtocol,
  planProxyProtocol,
  planSslPolicy,
  planSubnets,
  planTags,
  sslPolicyName,
} from "./plan-classic.ts";
import { planNodeGroups } from "./plan-node-groups.ts";
import { predictLoadBalancer } from "./predict-classic.ts";

/** What a classic load balancer of a Service must be. */
interface Wanted {
  readonly listeners: readonly ClassicListener[];
  readonly subnetIds: readonly string[];
  readonly groupIds: readonly string[];
  readonly attributes: ElbAttributes;
  readonly usesProxyProtocol: boolean;
}

/** Makes the classic load balancer of a Service what it must be. */
export async function ensureClassic(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  listeners: readonly ClassicListener[],
): Promise<LoadBalancerStatus> {
  const { annotations, service } = goal;
  const usesProxyProtocol = readProxyProtocol(goal);
  const attributes = classicAttributes(annotations);
  const subnets = await findLbSubnets(session, environment, annotations);
  const subnetIds = subnets.map(({ subnetId = "" }) => subnetId);
  const groupIds = await ensureGroups(session, environment, goal);
  const wanted = { listeners, subnetIds, groupIds, attributes, usesProxyProtocol };
  const loadBalancer = await ensureItself(session, environment, goal, wanted);
  await ensureSslPolicy(session, goal, loadBalancer);
  await session.applyAll(planHealthCheck(service, listeners, loadBalancer, environment.config));
  await ensureNodeGroups(session, environment, goal, loadBalancer);
  await session.applyAll(planInstances(loadBalancer, [...goal.instances.keys()]));
  return classicStatus(loadBalancer);
}

/** Changes only the instances of an existing load balancer. */
export async function updateClassicNodes(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
): Promise<void> {
  const loadBalancer = await findClassic(session, goal.name);
  if (!loadBalancer) throw new Error("Load balancer not found");
  await ensureSslPolicy(session, goal, loadBalancer);
  await session.applyAll(planInstances(loadBalancer, [...goal.instances.keys()]));
  await ensureNodeGroups(session, environment, goal, loadBalancer);
}

export async function findClassic(
  session: Session,
  name: string,
): Promise<ClassicLoadBalancer | undefined> {
  try {
    const params = { LoadBalancerNames: [name] };
    const { LoadBalancerDescriptions } = await session.read(describeLoadBalancers, params);
    return LoadBalancerDescriptions.at(-1);
  } catch (error) {
    if (hasCode(error, "LoadBalancerNotFound")) return undefined;
    throw error;
  }
}

export function classicStatus({ DNSName }: ClassicLoadBalancer): LoadBalancerStatus {
  return DNSName ? { ingress: [{ hostname: DNSName }] } : {};
}

function readProxyProtocol({ annotations }: ServiceGoal): boolean {
  const name = lbAnnotations.proxyProtocol;
  const text = annotations[name] ?? "";
  if (text === "" || text === "*") return text === "*";
  throw new Error(
    `annotation ${goQuote(name)}=${goQuote(text)} detected, but the only value supported currently is '*'`,
  );
}

/** The groups of the load balancer: those of annotations, the configured one, or one of its own. */
async function ensureGroups(
  session: Session,
  environment: LbEnvironment,
  { annotations, service, name }: ServiceGoal,
): Promise<string[]> {
  const extra = readList(annotations[lbAnnotations.extraSecurityGroups]);
  const own = readList(annotations[lbAnnotations.securityGroups]);
  if (own.length > 0) return [...own, ...extra];
  const { ElbSecurityGroup } = environment.config;
  if (ElbSecurityGroup !== "") return [ElbSecurityGroup, ...extra];
  const group = await ensureGroup(session, environment, {
    name: `k8s-elb-${name}`,
    description: `Security group for Kubernetes ELB ${name} (${serviceKey(service)})`,
    tags: readPairs(annotations, lbAnnotations.tags),
  });
  const ranges = sourceRanges(service);
  const ports = (service.spec?.ports ?? []).map(({ port }) => ({ from: port, to: port }));
  const rules = ranges.flatMap((range) => [
    ...ports.map((port) => openTo("tcp", port, range)),
    // Fragmentation needed: clients find the size of packets by it.
    openTo("icmp", { from: 3, to: 4 }, range),
  ]);
  await session.applyAll(planIngress(group, rules));
  return [group.id, ...extra];
}

/** Creates or changes the load balancer and its attributes, and returns what it is then. */
async function ensureItself(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  wanted: Wanted,
): Promise<ClassicLoadBalancer> {
  const { name } = goal;
  const found = await findClassic(session, name);
  if (found) await change(session, environment, goal, wanted, found);
  else await create(session, environment, goal, wanted);
  if (session.isDryRun) {
    const isSame = found !== undefined && (await hasWantedAttributes(session, name, wanted));
    if (!isSame) await session.applyAll([setAttributes(name, wanted.attributes)]);
    return predictLoadBalancer(name, wanted, found);
  }
  await session.applyAll([setAttributes(name, wanted.attributes)]);
  const made = await findClassic(session, name);
  if (!made) throw new Error(`load balancer ${goQuote(name)} is gone`);
  return made;
}

async function hasWantedAttributes(
  session: Session,
  name: string,
  { attributes }: Wanted,
): Promise<boolean> {
  const params = { LoadBalancerName: name };
  const { LoadBalancerAttributes } = await session.read(describeLoadBalancerAttributes, params);
  return hasAttributes(attributes, LoadBalancerAttributes);
}

async function create(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  { listeners, subnetIds, groupIds, usesProxyProtocol }: Wanted,
): Promise<void> {
  const params = {
    LoadBalancerName: goal.name,
    Listeners: listeners,
    ...(isInternal(goal.annotations) ? { Scheme: "internal" } : {}),
    Subnets: subnetIds,
    SecurityGroups: groupIds,
    Tags: lbTags(goal, environment),
  };
  await session.apply(createLoadBalancer, params, { DNSName: undefined });
  if (usesProxyProtocol) await session.applyAll(planNewProxyProtocol(goal.name, listeners));
}

/** Changes an existing load balancer. */
async function change(
  session: Session,
  environment: LbEnvironment,
  { name, annotations }: ServiceGoal,
  { listeners, subnetIds, groupIds, usesProxyProtocol }: Wanted,
  found: ClassicLoadBalancer,
): Promise<void> {
  await session.applyAll(planSubnets(name, subnetIds, found));
  const detached = found.SecurityGroups.filter((id) => !groupIds.includes(id));
  const hasOtherGroups =
    detached.length > 0 || groupIds.some((id) => !found.SecurityGroups.includes(id));
  if (hasOtherGroups) {
    const params = { LoadBalancerName: name, SecurityGroups: groupIds };
    const failure = "error applying AWS loadbalancer security groups: %q";
    await session.applyAll([action(applySecurityGroupsToLoadBalancer, params, failure)]);
    await removeDetachedGroups(session, environment, name, detached).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`error removing owned security groups: [${text}]`, { cause: error });
    });
  }
  await session.applyAll([
    ...planListeners(name, listeners, found),
    ...planProxyProtocol(name, usesProxyProtocol, listeners, found),
    ...planTags(name, readPairs(annotations, lbAnnotations.tags)),
  ]);
}

async function ensureSslPolicy(
  session: Session,
  { annotations, name }: ServiceGoal,
  loadBalancer: ClassicLoadBalancer,
): Promise<void> {
  const policy = annotations[lbAnnotations.sslPolicy];
  if (policy === undefined) return;
  const params = { LoadBalancerName: name, PolicyNames: [sslPolicyName(policy)] };
  const exists = await session
    .readCreated(describeLoadBalancerPolicies, params, { PolicyDescriptions: [] })
    .then(
      ({ PolicyDescriptions }) => PolicyDescriptions.length > 0,
      (error: unknown) => {
        if (hasCode(error, "PolicyNotFound")) return false;
        const text = goQuote(error instanceof Error ? error.message : String(error));
        throw new Error(`error describing security policies on load balancer: ${text}`);
      },
    );
  await session.applyAll(planSslPolicy(loadBalancer, policy, exists));
}

async function ensureNodeGroups(
  session: Session,
  { config, tags }: LbEnvironment,
  { annotations, instances, name }: ServiceGoal,
  { SecurityGroups }: ClassicLoadBalancer,
): Promise<void> {
  if (config.DisableSecurityGroupIngress) return;
  if (SecurityGroups.length === 0) {
    throw new Error(`could not determine security group for load balancer: ${name}`);
  }
  const facts = {
    lbGroupIds: SecurityGroups,
    groups: await listGroups(session),
    instances: instances.values(),
    tags,
    fixedGroupId: config.ElbSecurityGroup,
    isDeleting: false,
  };
  await session.applyAll(planNodeGroups(facts, annotations));
}
