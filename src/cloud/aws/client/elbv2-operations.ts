/** The operations of Elastic Load Balancing v2 (network load balancers) that are used. */
import { elbv2, operationsOf } from "./operation.ts";
import { boolean, list, number, struct, text, type Value } from "./shape.ts";

const declare = operationsOf(elbv2);

interface OfLoadBalancer {
  readonly LoadBalancerArn: string;
}

interface OfTargetGroup {
  readonly TargetGroupArn: string;
}

interface Paged {
  readonly Marker?: string;
  readonly PageSize?: number;
}

export interface Attribute {
  readonly Key: string;
  readonly Value: string;
}

interface V2Tag {
  readonly Key: string;
  readonly Value?: string;
}

export interface SubnetMapping {
  readonly SubnetId: string;
  readonly AllocationId?: string;
  readonly PrivateIPv4Address?: string;
  readonly IPv6Address?: string;
}

const loadBalancer = struct({
  LoadBalancerArn: text,
  DNSName: text,
  CanonicalHostedZoneId: text,
  LoadBalancerName: text,
  Scheme: text,
  VpcId: text,
  State: struct({ Code: text, Reason: text }),
  Type: text,
  AvailabilityZones: list(
    struct({
      ZoneName: text,
      SubnetId: text,
      LoadBalancerAddresses: list(
        struct({
          IpAddress: text,
          AllocationId: text,
          PrivateIPv4Address: text,
          IPv6Address: text,
        }),
      ),
    }),
  ),
  SecurityGroups: list(text),
  IpAddressType: text,
});
export type NetworkLoadBalancer = Value<typeof loadBalancer>;

export const describeLoadBalancers = declare<
  { readonly LoadBalancerArns?: readonly string[]; readonly Names?: readonly string[] } & Paged
>()("DescribeLoadBalancers", struct({ LoadBalancers: list(loadBalancer), NextMarker: text }), [
  "LoadBalancerNotFound",
]);

export const createLoadBalancer = declare<{
  readonly Name: string;
  readonly Subnets?: readonly string[];
  readonly SubnetMappings?: readonly SubnetMapping[];
  readonly SecurityGroups?: readonly string[];
  readonly Scheme?: string;
  readonly Tags?: readonly V2Tag[];
  readonly Type?: string;
  readonly IpAddressType?: string;
}>()("CreateLoadBalancer", struct({ LoadBalancers: list(loadBalancer) }), [
  "DuplicateLoadBalancerName",
  "TooManyLoadBalancers",
  "InvalidConfigurationRequest",
  "SubnetNotFound",
  "InvalidSubnet",
  "InvalidSecurityGroup",
  "InvalidScheme",
  "TooManyTags",
  "DuplicateTagKeys",
  "ResourceInUse",
  "AllocationIdNotFound",
  "AvailabilityZoneNotSupported",
  "OperationNotPermitted",
]);

export const deleteLoadBalancer = declare<OfLoadBalancer>()("DeleteLoadBalancer", struct({}), [
  "LoadBalancerNotFound",
  "OperationNotPermitted",
  "ResourceInUse",
]);

export const setSecurityGroups = declare<
  OfLoadBalancer & { readonly SecurityGroups: readonly string[] }
>()("SetSecurityGroups", struct({ SecurityGroupIds: list(text) }), [
  "LoadBalancerNotFound",
  "InvalidConfigurationRequest",
  "InvalidSecurityGroup",
]);

export const setIpAddressType = declare<OfLoadBalancer & { readonly IpAddressType: string }>()(
  "SetIpAddressType",
  struct({ IpAddressType: text }),
  ["LoadBalancerNotFound", "InvalidConfigurationRequest", "InvalidSubnet"],
);

const attributes = struct({ Attributes: list(struct({ Key: text, Value: text })) });

export const describeLoadBalancerAttributes = declare<OfLoadBalancer>()(
  "DescribeLoadBalancerAttributes",
  attributes,
  ["LoadBalancerNotFound"],
);

export const modifyLoadBalancerAttributes = declare<
  OfLoadBalancer & { readonly Attributes: readonly Attribute[] }
>()("ModifyLoadBalancerAttributes", attributes, [
  "LoadBalancerNotFound",
  "InvalidConfigurationRequest",
]);

const targetGroup = struct({
  TargetGroupArn: text,
  TargetGroupName: text,
  Protocol: text,
  Port: number,
  VpcId: text,
  HealthCheckProtocol: text,
  HealthCheckPort: text,
  HealthCheckEnabled: boolean,
  HealthCheckIntervalSeconds: number,
  HealthCheckTimeoutSeconds: number,
  HealthyThresholdCount: number,
  UnhealthyThresholdCount: number,
  HealthCheckPath: text,
  Matcher: struct({ HttpCode: text }),
  LoadBalancerArns: list(text),
  TargetType: text,
  IpAddressType: text,
});
export type TargetGroup = Value<typeof targetGroup>;

/** The health check of a target group as parameters. */
interface TargetHealthCheck {
  readonly HealthCheckProtocol?: string;
  readonly HealthCheckPort?: string;
  readonly HealthCheckPath?: string;
  readonly HealthCheckEnabled?: boolean;
  readonly HealthCheckIntervalSeconds?: number;
  readonly HealthCheckTimeoutSeconds?: number;
  readonly HealthyThresholdCount?: number;
  readonly UnhealthyThresholdCount?: number;
  readonly Matcher?: { readonly HttpCode: string };
}

export const describeTargetGroups = declare<
  {
    readonly LoadBalancerArn?: string;
    readonly TargetGroupArns?: readonly string[];
    readonly Names?: readonly string[];
  } & Paged
>()("DescribeTargetGroups", struct({ TargetGroups: list(targetGroup), NextMarker: text }), [
  "LoadBalancerNotFound",
  "TargetGroupNotFound",
]);

export const createTargetGroup = declare<
  TargetHealthCheck & {
    readonly Name: string;
    readonly Protocol: string;
    readonly Port: number;
    readonly VpcId: string;
    readonly TargetType?: string;
    readonly IpAddressType?: string;
    readonly Tags?: readonly V2Tag[];
  }
>()("CreateTargetGroup", struct({ TargetGroups: list(targetGroup) }), [
  "DuplicateTargetGroupName",
  "TooManyTargetGroups",
  "InvalidConfigurationRequest",
  "TooManyTags",
]);

export const modifyTargetGroup = declare<OfTargetGroup & TargetHealthCheck>()(
  "ModifyTargetGroup",
  struct({ TargetGroups: list(targetGroup) }),
  ["TargetGroupNotFound", "InvalidConfigurationRequest"],
);

export const deleteTargetGroup = declare<OfTargetGroup>()("DeleteTargetGroup", struct({}), [
  "ResourceInUse",
]);

export const describeTargetGroupAttributes = declare<OfTargetGroup>()(
  "DescribeTargetGroupAttributes",
  attributes,
  ["TargetGroupNotFound"],
);

export const modifyTargetGroupAttributes = declare<
  OfTargetGroup & { readonly Attributes: readonly Attribute[] }
>()("ModifyTargetGroupAttributes", attributes, [
  "TargetGroupNotFound",
  "InvalidConfigurationRequest",
]);

export interface Target {
  readonly Id: string;
  readonly Port?: number;
  readonly AvailabilityZone?: string;
}

export const registerTargets = declare<OfTargetGroup & { readonly Targets: readonly Target[] }>()(
  "RegisterTargets",
  struct({}),
  ["TargetGroupNotFound", "TooManyTargets", "InvalidTarget", "TooManyRegistrationsForTargetId"],
);

export const deregisterTargets = declare<OfTargetGroup & { readonly Targets: readonly Target[] }>()(
  "DeregisterTargets",
  struct({}),
  ["TargetGroupNotFound", "InvalidTarget"],
);

export const describeTargetHealth = declare<
  OfTargetGroup & { readonly Targets?: readonly Target[] }
>()(
  "DescribeTargetHealth",
  struct({
    TargetHealthDescriptions: list(
      struct({
        Target: struct({ Id: text, Port: number, AvailabilityZone: text }),
        HealthCheckPort: text,
        TargetHealth: struct({ State: text, Reason: text, Description: text }),
      }),
    ),
  }),
  ["InvalidTarget", "TargetGroupNotFound", "HealthUnavailable"],
);

const listener = struct({
  ListenerArn: text,
  LoadBalancerArn: text,
  Port: number,
  Protocol: text,
  Certificates: list(struct({ CertificateArn: text, IsDefault: boolean })),
  SslPolicy: text,
  DefaultActions: list(struct({ Type: text, TargetGroupArn: text, Order: number })),
  AlpnPolicy: list(text),
});
export type Listener = Value<typeof listener>;

/** A listener as parameters. */
interface ListenerParams {
  readonly Port?: number;
  readonly Protocol?: string;
  readonly SslPolicy?: string;
  readonly Certificates?: readonly { readonly CertificateArn: string }[];
  readonly DefaultActions?: readonly {
    readonly Type: string;
    readonly TargetGroupArn: string;
  }[];
  readonly AlpnPolicy?: readonly string[];
  readonly Tags?: readonly V2Tag[];
}

const listenerErrors = [
  "DuplicateListener",
  "TooManyListeners",
  "TooManyCertificates",
  "TargetGroupNotFound",
  "TargetGroupAssociationLimit",
  "InvalidConfigurationRequest",
  "IncompatibleProtocols",
  "SSLPolicyNotFound",
  "CertificateNotFound",
  "UnsupportedProtocol",
  "TooManyRegistrationsForTargetId",
  "TooManyTargets",
  "TooManyActions",
  "InvalidLoadBalancerAction",
  "TooManyUniqueTargetGroupsPerLoadBalancer",
  "ALPNPolicyNotFound",
  "TrustStoreNotFound",
  "TrustStoreNotReady",
];

export const describeListeners = declare<
  { readonly LoadBalancerArn?: string; readonly ListenerArns?: readonly string[] } & Paged
>()("DescribeListeners", struct({ Listeners: list(listener), NextMarker: text }), [
  "ListenerNotFound",
  "LoadBalancerNotFound",
  "UnsupportedProtocol",
]);

export const createListener = declare<OfLoadBalancer & ListenerParams>()(
  "CreateListener",
  struct({ Listeners: list(listener) }),
  [...listenerErrors, "LoadBalancerNotFound", "TooManyTags"],
);

export const modifyListener = declare<{ readonly ListenerArn: string } & ListenerParams>()(
  "ModifyListener",
  struct({ Listeners: list(listener) }),
  [...listenerErrors, "ListenerNotFound"],
);

export const deleteListener = declare<{ readonly ListenerArn: string }>()(
  "DeleteListener",
  struct({}),
  ["ListenerNotFound", "ResourceInUse"],
);
