/** The operations of Elastic Load Balancing (classic load balancers) that are used. */
import { elb, operationsOf } from "./operation.ts";
import { boolean, list, number, struct, text, type Value } from "./shape.ts";

const declare = operationsOf(elb);

/** Most operations name one load balancer. */
interface OfLoadBalancer {
  readonly LoadBalancerName: string;
}

interface ElbTag {
  readonly Key: string;
  readonly Value?: string;
}

export interface ElbListener {
  readonly Protocol?: string;
  readonly LoadBalancerPort?: number;
  readonly InstanceProtocol?: string;
  readonly InstancePort?: number;
  readonly SSLCertificateId?: string;
}

export interface ElbHealthCheck {
  readonly Target: string;
  readonly Interval: number;
  readonly Timeout: number;
  readonly UnhealthyThreshold: number;
  readonly HealthyThreshold: number;
}

interface Instances extends OfLoadBalancer {
  readonly Instances: readonly { readonly InstanceId: string }[];
}

const listener = struct({
  Protocol: text,
  LoadBalancerPort: number,
  InstanceProtocol: text,
  InstancePort: number,
  SSLCertificateId: text,
});

const healthCheck = struct({
  Target: text,
  Interval: number,
  Timeout: number,
  UnhealthyThreshold: number,
  HealthyThreshold: number,
});

const loadBalancer = struct({
  LoadBalancerName: text,
  DNSName: text,
  CanonicalHostedZoneName: text,
  CanonicalHostedZoneNameID: text,
  ListenerDescriptions: list(struct({ Listener: listener, PolicyNames: list(text) })),
  BackendServerDescriptions: list(struct({ InstancePort: number, PolicyNames: list(text) })),
  AvailabilityZones: list(text),
  Subnets: list(text),
  VPCId: text,
  Instances: list(struct({ InstanceId: text })),
  HealthCheck: healthCheck,
  SourceSecurityGroup: struct({ OwnerAlias: text, GroupName: text }),
  SecurityGroups: list(text),
  Scheme: text,
});
export type ClassicLoadBalancer = Value<typeof loadBalancer>;

export const describeLoadBalancers = declare<{
  readonly LoadBalancerNames?: readonly string[];
  readonly Marker?: string;
  readonly PageSize?: number;
}>()(
  "DescribeLoadBalancers",
  struct({ LoadBalancerDescriptions: list(loadBalancer), NextMarker: text }),
  ["LoadBalancerNotFound", "DependencyThrottle"],
);

export const createLoadBalancer = declare<
  OfLoadBalancer & {
    readonly Listeners: readonly ElbListener[];
    readonly AvailabilityZones?: readonly string[];
    readonly Subnets?: readonly string[];
    readonly SecurityGroups?: readonly string[];
    readonly Scheme?: string;
    readonly Tags?: readonly ElbTag[];
  }
>()("CreateLoadBalancer", struct({ DNSName: text }), [
  "DuplicateLoadBalancerName",
  "TooManyLoadBalancers",
  "CertificateNotFound",
  "InvalidConfigurationRequest",
  "SubnetNotFound",
  "InvalidSubnet",
  "InvalidSecurityGroup",
  "InvalidScheme",
  "TooManyTags",
  "DuplicateTagKeys",
  "UnsupportedProtocol",
  "OperationNotPermitted",
]);

export const deleteLoadBalancer = declare<OfLoadBalancer>()("DeleteLoadBalancer", struct({}));

export const addTags = declare<{
  readonly LoadBalancerNames: readonly string[];
  readonly Tags: readonly ElbTag[];
}>()("AddTags", struct({}), ["LoadBalancerNotFound", "TooManyTags", "DuplicateTagKeys"]);

export const createLoadBalancerListeners = declare<
  OfLoadBalancer & { readonly Listeners: readonly ElbListener[] }
>()("CreateLoadBalancerListeners", struct({}), [
  "LoadBalancerNotFound",
  "DuplicateListener",
  "CertificateNotFound",
  "InvalidConfigurationRequest",
  "UnsupportedProtocol",
]);

export const deleteLoadBalancerListeners = declare<
  OfLoadBalancer & { readonly LoadBalancerPorts: readonly number[] }
>()("DeleteLoadBalancerListeners", struct({}), ["LoadBalancerNotFound"]);

export const registerInstancesWithLoadBalancer = declare<Instances>()(
  "RegisterInstancesWithLoadBalancer",
  struct({}),
  ["LoadBalancerNotFound", "InvalidInstance"],
);

export const deregisterInstancesFromLoadBalancer = declare<Instances>()(
  "DeregisterInstancesFromLoadBalancer",
  struct({}),
  ["LoadBalancerNotFound", "InvalidInstance"],
);

export const attachLoadBalancerToSubnets = declare<
  OfLoadBalancer & { readonly Subnets: readonly string[] }
>()("AttachLoadBalancerToSubnets", struct({}), [
  "LoadBalancerNotFound",
  "InvalidConfigurationRequest",
  "SubnetNotFound",
  "InvalidSubnet",
]);

export const detachLoadBalancerFromSubnets = declare<
  OfLoadBalancer & { readonly Subnets: readonly string[] }
>()("DetachLoadBalancerFromSubnets", struct({}), [
  "LoadBalancerNotFound",
  "InvalidConfigurationRequest",
]);

export const applySecurityGroupsToLoadBalancer = declare<
  OfLoadBalancer & { readonly SecurityGroups: readonly string[] }
>()("ApplySecurityGroupsToLoadBalancer", struct({}), [
  "LoadBalancerNotFound",
  "InvalidConfigurationRequest",
  "InvalidSecurityGroup",
]);

export const configureHealthCheck = declare<
  OfLoadBalancer & { readonly HealthCheck: ElbHealthCheck }
>()("ConfigureHealthCheck", struct({ HealthCheck: healthCheck }), ["LoadBalancerNotFound"]);

const attributes = struct({
  CrossZoneLoadBalancing: struct({ Enabled: boolean }),
  AccessLog: struct({
    Enabled: boolean,
    S3BucketName: text,
    EmitInterval: number,
    S3BucketPrefix: text,
  }),
  ConnectionDraining: struct({ Enabled: boolean, Timeout: number }),
  ConnectionSettings: struct({ IdleTimeout: number }),
});

/** Attributes as a parameter: what is absent stays. */
export interface ElbAttributes {
  readonly CrossZoneLoadBalancing?: { readonly Enabled: boolean };
  readonly AccessLog?: {
    readonly Enabled: boolean;
    readonly S3BucketName?: string;
    readonly EmitInterval?: number;
    readonly S3BucketPrefix?: string;
  };
  readonly ConnectionDraining?: { readonly Enabled: boolean; readonly Timeout?: number };
  readonly ConnectionSettings?: { readonly IdleTimeout: number };
}

export const describeLoadBalancerAttributes = declare<OfLoadBalancer>()(
  "DescribeLoadBalancerAttributes",
  struct({ LoadBalancerAttributes: attributes }),
  ["LoadBalancerNotFound", "LoadBalancerAttributeNotFound"],
);

export const modifyLoadBalancerAttributes = declare<
  OfLoadBalancer & { readonly LoadBalancerAttributes: ElbAttributes }
>()("ModifyLoadBalancerAttributes", struct({}), [
  "LoadBalancerNotFound",
  "LoadBalancerAttributeNotFound",
  "InvalidConfigurationRequest",
]);

export const createLoadBalancerPolicy = declare<
  OfLoadBalancer & {
    readonly PolicyName: string;
    readonly PolicyTypeName: string;
    readonly PolicyAttributes?: readonly {
      readonly AttributeName: string;
      readonly AttributeValue: string;
    }[];
  }
>()("CreateLoadBalancerPolicy", struct({}), [
  "LoadBalancerNotFound",
  "PolicyTypeNotFound",
  "DuplicatePolicyName",
  "TooManyPolicies",
  "InvalidConfigurationRequest",
]);

export const describeLoadBalancerPolicies = declare<
  OfLoadBalancer & { readonly PolicyNames?: readonly string[] }
>()(
  "DescribeLoadBalancerPolicies",
  struct({ PolicyDescriptions: list(struct({ PolicyName: text, PolicyTypeName: text })) }),
  ["LoadBalancerNotFound", "PolicyNotFound"],
);

export const setLoadBalancerPoliciesForBackendServer = declare<
  OfLoadBalancer & { readonly InstancePort: number; readonly PolicyNames: readonly string[] }
>()("SetLoadBalancerPoliciesForBackendServer", struct({}), [
  "LoadBalancerNotFound",
  "PolicyNotFound",
  "InvalidConfigurationRequest",
]);

export const setLoadBalancerPoliciesOfListener = declare<
  OfLoadBalancer & { readonly LoadBalancerPort: number; readonly PolicyNames: readonly string[] }
>()("SetLoadBalancerPoliciesOfListener", struct({}), [
  "LoadBalancerNotFound",
  "PolicyNotFound",
  "ListenerNotFound",
  "InvalidConfigurationRequest",
]);
