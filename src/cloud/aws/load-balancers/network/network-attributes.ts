/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import {
  type Attribute,
  modifyLoadBalancerAttributes,
  modifyTargetGroupAttributes,
} from "../../client/elbv2-operations.ts";
import { type Annotations, lbAnnotations, readBoolean, readPairs } from "../base/annotations.ts";
import { type AwsAction, action } from "../base/session.ts";

/** Attributes of load balancers by their names. */
type AttributeMap = ReadonlyMap<string, string>;

export function toMap(
  list: readonly { readonly Key: string | undefined; readonly Value: string | undefined }[],
): AttributeMap {
  return new Map(list.map(({ Key = "", Value = "" }) => [Key, Value]));
}

/** The attributes that annotations ask for. Throws if one is malformed. */
export function networkAttributes(annotations: Annotations): AttributeMap {
  const crossZone = readBoolean(annotations, lbAnnotations.crossZone) ?? false;
  const logs = readBoolean(annotations, lbAnnotations.accessLogEnabled) ?? false;
  return new Map([
    ["load_balancing.cross_zone.enabled", String(crossZone)],
    ["access_logs.s3.enabled", String(logs)],
    // AWS takes no empty bucket: what was set stays while there are no logs.
    ...(logs
      ? ([
          ["access_logs.s3.bucket", annotations[lbAnnotations.accessLogBucket] ?? ""],
          ["access_logs.s3.prefix", annotations[lbAnnotations.accessLogPrefix] ?? ""],
        ] as const)
      : []),
  ]);
}

export function planAttributes(
  arn: string,
  wanted: AttributeMap,
  found: AttributeMap,
): AwsAction[] {
  const changed = difference(wanted, found);
  if (changed.length === 0) return [];
  const failure = "unable to update load balancer attributes during attribute sync: %q";
  const params = { LoadBalancerArn: arn, Attributes: changed };
  return [action(modifyLoadBalancerAttributes, params, failure)];
}

/** Sets the attributes of an annotation that the target group has. */
export function planTargetGroupAttributes(
  arn: string,
  annotations: Annotations,
  found: AttributeMap,
): AwsAction[] {
  const pairs = Object.entries(readPairs(annotations, lbAnnotations.targetGroupAttributes));
  const known = pairs.filter(([key]) => found.has(key));
  const changed = difference(new Map(known), found);
  if (changed.length === 0) return [];
  const params = { TargetGroupArn: arn, Attributes: changed };
  const failure = "unable to modify target group attributes during attribute sync: %v";
  return [action(modifyTargetGroupAttributes, params, failure)];
}

function difference(wanted: AttributeMap, found: AttributeMap): Attribute[] {
  return [...wanted]
    .filter(([key, value]) => (found.get(key) ?? "") !== value)
    .map(([key, value]) => ({ Key: key, Value: value }));
}
