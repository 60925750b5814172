/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import {
  type describeLoadBalancerAttributes,
  type ElbAttributes,
  modifyLoadBalancerAttributes,
} from "../../client/elb-operations.ts";
import type { ResultOf } from "../../client/operation.ts";
import { type Annotations, lbAnnotations, readBoolean, readInteger } from "../base/annotations.ts";
import { type AwsAction, action } from "../base/session.ts";

const defaultIdleSeconds = 60;

/** The attributes that annotations ask for. Throws if one is malformed. */
export function classicAttributes(annotations: Annotations): ElbAttributes {
  const interval = readInteger(annotations, lbAnnotations.accessLogEmitInterval);
  const logs = readBoolean(annotations, lbAnnotations.accessLogEnabled) ?? false;
  const bucket = annotations[lbAnnotations.accessLogBucket] || undefined;
  const prefix = annotations[lbAnnotations.accessLogPrefix] || undefined;
  const drains = readBoolean(annotations, lbAnnotations.drainingEnabled) ?? false;
  const drainSeconds = readInteger(annotations, lbAnnotations.drainingTimeout);
  const idleSeconds = readInteger(annotations, lbAnnotations.idleTimeout) ?? defaultIdleSeconds;
  const crossZone = readBoolean(annotations, lbAnnotations.crossZone) ?? false;
  return {
    AccessLog: {
      Enabled: logs,
      ...(interval === undefined ? {} : { EmitInterval: interval }),
      ...(bucket === undefined ? {} : { S3BucketName: bucket }),
      ...(prefix === undefined ? {} : { S3BucketPrefix: prefix }),
    },
    ConnectionDraining: {
      Enabled: drains,
      ...(drainSeconds === undefined ? {} : { Timeout: drainSeconds }),
    },
    ConnectionSettings: { IdleTimeout: idleSeconds },
    CrossZoneLoadBalancing: { Enabled: crossZone },
  };
}

type FoundAttributes = ResultOf<typeof describeLoadBalancerAttributes>["LoadBalancerAttributes"];

/**
 * Sets all attributes. Upstream compares all that AWS has, which is always more than annotations can set: it sends them
 * each time.
 */
export function setAttributes(loadBalancerName: string, wanted: ElbAttributes): AwsAction {
  const params = { LoadBalancerName: loadBalancerName, LoadBalancerAttributes: wanted };
  const failure = "Unable to update load balancer attributes during attribute sync: %q";
  return action(modifyLoadBalancerAttributes, params, failure);
}

/** Whether a load balancer has all attributes that are wanted. */
export function hasAttributes(wanted: ElbAttributes, found: FoundAttributes): boolean {
  return Object.entries(wanted).every(([name, fields]) => {
    const actual = found?.[name as keyof ElbAttributes] as
      | Readonly<Record<string, unknown>>
      | undefined;
    return Object.entries(fields ?? {}).every(([field, value]) => actual?.[field] === value);
  });
}
