/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { goQuote } from "#/std/go/go-quote.ts";
import type { NetworkLoadBalancer } from "../../client/elbv2-operations.ts";
import { lbAnnotations, readList, readPairs } from "../base/annotations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import type { ServiceGoal } from "../base/goal.ts";
import { openTo, withIpv6 } from "../base/ip-permissions.ts";
import { type EnsuredGroup, planIngress } from "../base/plan-groups.ts";
import { ensureGroup } from "../base/security-groups.ts";
import { type AwsAction, type Session, wrap } from "../base/session.ts";
import { managedGroupName, type NetworkPort } from "./network-ports.ts";

interface NetworkGroups {
  readonly ids: readonly string[];
  /** The group whose rules are ours; undefined if there is none. */
  readonly managed?: EnsuredGroup;
}

/** The security groups of a network load balancer. One that was created without can't get any later. */
export async function ensureNetworkGroups(
  session: Session,
  environment: LbEnvironment,
  { annotations, service }: ServiceGoal,
  existing: NetworkLoadBalancer | undefined,
): Promise<NetworkGroups> {
  if (!isManaged(environment)) return { ids: existing?.SecurityGroups ?? [] };
  if (existing && existing.SecurityGroups.length === 0) return { ids: [] };
  const own = readList(annotations[lbAnnotations.securityGroups]);
  if (own.length > 0) return { ids: own };
  const wanted = {
    name: managedGroupName(environment.clusterName, service),
    description: "[k8s] Managed SecurityGroup for LoadBalancer",
    tags: readPairs(annotations, lbAnnotations.tags),
  };
  try {
    const managed = await ensureGroup(session, environment, wanted);
    return { ids: [managed.id], managed };
  } catch (error) {
    const failure =
      "error ensuring NLB security group: unable to create security group for NLB: %v" as const;
    throw wrap(error, failure);
  }
}

function isManaged({ config }: LbEnvironment): boolean {
  const mode = config.NLBSecurityGroupMode;
  if (mode === "" || mode === "Managed") return mode === "Managed";
  const reason = `invalid NLB security group mode: ${goQuote(mode)}. Expected: "Managed"`;
  const outer = "error ensuring NLB security group: error checking NLB security group mode";
  throw new Error(`${outer}: ${reason}`);
}

/** Lets clients reach the listeners. */
export function planManagedRules(
  group: EnsuredGroup,
  ports: readonly NetworkPort[],
  ranges: readonly string[],
  isDualStack: boolean,
): AwsAction[] {
  const rules = ranges.flatMap((range) => [
    ...ports.map(({ port, protocol }) => {
      const transport = protocol === "UDP" ? "udp" : "tcp";
      return openTo(transport, { from: port, to: port }, range);
    }),
    openTo("icmp", { from: 3, to: 4 }, range),
  ]);
  const wanted = isDualStack ? rules.map(withIpv6) : rules;
  return planIngress(group, wanted).map((action) => ({
    ...action,
    ...(action.failure
      ? { failure: `error ensuring NLB security group rules: ${action.failure}` as const }
      : {}),
  }));
}
