/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import {
  deregisterTargets,
  modifyTargetGroup,
  registerTargets,
  type Target,
  type TargetGroup,
} from "../../client/elbv2-operations.ts";
import { type AwsAction, action } from "../base/session.ts";
import type { NetworkHealthCheck } from "./network-health-check.ts";

/** Limit of targets in one call, as in upstream. */
const maxTargets = 100;

/** Removes targets before it adds others: a load balancer may be at its limit of targets. */
export function planTargets(
  arn: string,
  wanted: readonly Target[],
  actual: readonly Target[],
): AwsAction[] {
  const keyOf = ({ Id, Port }: Target) => `${Id}:${Port ?? 0}`;
  const missing = (from: readonly Target[], others: readonly Target[]) => {
    const known = new Set(others.map(keyOf));
    const byKey = new Map(from.map((target) => [keyOf(target), target]));
    const keys = [...byKey.keys()].filter((key) => !known.has(key)).toSorted();
    return chunks(keys.flatMap((key) => byKey.get(key) ?? []));
  };
  const removing = "error trying to deregister targets in target group: %q";
  const adding = "error trying to register targets in target group: %q";
  return [
    ...missing(actual, wanted).map((Targets) =>
      action(deregisterTargets, { TargetGroupArn: arn, Targets }, removing),
    ),
    ...missing(wanted, actual).map((Targets) =>
      action(registerTargets, { TargetGroupArn: arn, Targets }, adding),
    ),
  ];
}

function chunks(targets: readonly Target[]): Target[][] {
  const count = Math.ceil(targets.length / maxTargets);
  return Array.from({ length: count }, (_, index) =>
    targets.slice(index * maxTargets, (index + 1) * maxTargets),
  );
}

/**
 * Changes the health check of a target group where that is possible. A path is always sent, as upstream does, but not
 * shown in a plan if the group has it.
 */
export function planHealthCheck(
  group: TargetGroup,
  wanted: NetworkHealthCheck,
  isDryRun: boolean,
): AwsAction[] {
  const port = wanted.port === group.HealthCheckPort ? {} : { HealthCheckPort: wanted.port };
  const thresholds =
    wanted.healthyThreshold === group.HealthyThresholdCount
      ? {}
      : {
          HealthyThresholdCount: wanted.healthyThreshold,
          UnhealthyThresholdCount: wanted.unhealthyThreshold,
        };
  const hasPath = wanted.protocol !== "TCP" && wanted.path !== "";
  const isSent = hasPath && !(isDryRun && wanted.path === group.HealthCheckPath);
  const path = isSent ? { HealthCheckPath: wanted.path } : {};
  const changes = { ...port, ...thresholds, ...path };
  if (Object.keys(changes).length === 0) return [];
  const params = { TargetGroupArn: group.TargetGroupArn ?? "", ...changes };
  return [action(modifyTargetGroup, params, "error modifying target group health check: %q")];
}
