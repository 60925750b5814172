/** The operations of EC2 that are used, with the names of the wire. */
import { ec2, operationsOf } from "./operation.ts";
import { boolean, list, number, struct, text, type Value } from "./shape.ts";

const declare = operationsOf(ec2);

/** A condition of a Describe call: any of the values. */
export interface Filter {
  readonly Name: string;
  readonly Value: readonly string[];
}

export interface TagParam {
  readonly Key: string;
  readonly Value: string;
}

/** TagSpecification of a call that creates. */
interface TagSpecification {
  readonly ResourceType: string;
  readonly Tag: readonly TagParam[];
}

interface Paged {
  readonly MaxResults?: number;
  readonly NextToken?: string;
}

const tag = struct({ key: text, value: text });
export type Ec2Tag = Value<typeof tag>;

const group = struct({ groupId: text, groupName: text });

const networkInterfaceOfInstance = struct({
  networkInterfaceId: text,
  status: text,
  subnetId: text,
  privateDnsName: text,
  privateIpAddress: text,
  sourceDestCheck: boolean,
  attachment: struct({ attachmentId: text, deviceIndex: number, status: text }),
  privateIpAddressesSet: list(struct({ privateIpAddress: text, primary: boolean })),
  ipv6AddressesSet: list(struct({ ipv6Address: text })),
});

const instance = struct({
  instanceId: text,
  instanceType: text,
  instanceState: struct({ code: number, name: text }),
  placement: struct({ availabilityZone: text }),
  privateDnsName: text,
  dnsName: text,
  privateIpAddress: text,
  ipAddress: text,
  subnetId: text,
  vpcId: text,
  sourceDestCheck: boolean,
  instanceLifecycle: text,
  groupSet: list(group),
  tagSet: list(tag),
  networkInterfaceSet: list(networkInterfaceOfInstance),
});
export type Ec2Instance = Value<typeof instance>;

export const describeInstances = declare<
  { readonly InstanceId?: readonly string[]; readonly Filter?: readonly Filter[] } & Paged
>()(
  "DescribeInstances",
  struct({ reservationSet: list(struct({ instancesSet: list(instance) })), nextToken: text }),
);

export const describeInstanceTopology = declare<
  { readonly InstanceId?: readonly string[]; readonly Filter?: readonly Filter[] } & Paged
>()(
  "DescribeInstanceTopology",
  struct({
    instanceSet: list(
      struct({
        instanceId: text,
        instanceType: text,
        groupName: text,
        networkNodeSet: list(text),
        availabilityZone: text,
        zoneId: text,
      }),
    ),
    nextToken: text,
  }),
);

export const describeAvailabilityZones = declare<{
  readonly ZoneName?: readonly string[];
  readonly Filter?: readonly Filter[];
}>()(
  "DescribeAvailabilityZones",
  struct({
    availabilityZoneInfo: list(
      struct({ zoneName: text, zoneId: text, zoneType: text, zoneState: text, regionName: text }),
    ),
  }),
);

export const describeNetworkInterfaces = declare<
  { readonly NetworkInterfaceId?: readonly string[]; readonly Filter?: readonly Filter[] } & Paged
>()(
  "DescribeNetworkInterfaces",
  struct({
    networkInterfaceSet: list(
      struct({
        networkInterfaceId: text,
        availabilityZone: text,
        subnetId: text,
        vpcId: text,
        privateDnsName: text,
        privateIpAddress: text,
        privateIpAddressesSet: list(struct({ privateIpAddress: text, primary: boolean })),
        ipv6AddressesSet: list(struct({ ipv6Address: text })),
        tagSet: list(tag),
      }),
    ),
    nextToken: text,
  }),
);

export const securityGroupRule = struct({
  ipProtocol: text,
  fromPort: number,
  toPort: number,
  groups: list(struct({ groupId: text, groupName: text, userId: text, description: text })),
  ipRanges: list(struct({ cidrIp: text, description: text })),
  ipv6Ranges: list(struct({ cidrIpv6: text, description: text })),
  prefixListIds: list(struct({ prefixListId: text, description: text })),
});

export const describeSecurityGroups = declare<
  { readonly GroupId?: readonly string[]; readonly Filter?: readonly Filter[] } & Paged
>()(
  "DescribeSecurityGroups",
  struct({
    securityGroupInfo: list(
      struct({
        groupId: text,
        groupName: text,
        groupDescription: text,
        vpcId: text,
        ipPermissions: list(securityGroupRule),
        tagSet: list(tag),
      }),
    ),
    nextToken: text,
  }),
);

export const createSecurityGroup = declare<{
  readonly GroupName: string;
  readonly GroupDescription: string;
  readonly VpcId: string;
  readonly TagSpecification?: readonly TagSpecification[];
}>()("CreateSecurityGroup", struct({ groupId: text }));

export const deleteSecurityGroup = declare<{ readonly GroupId: string }>()(
  "DeleteSecurityGroup",
  struct({}),
);

/** A rule as a parameter. */
export interface IpPermissionParam {
  readonly IpProtocol?: string;
  readonly FromPort?: number;
  readonly ToPort?: number;
  readonly Groups?: readonly {
    readonly GroupId?: string;
    readonly UserId?: string;
    readonly GroupName?: string;
    readonly Description?: string;
  }[];
  readonly IpRanges?: readonly { readonly CidrIp?: string; readonly Description?: string }[];
  readonly Ipv6Ranges?: readonly { readonly CidrIpv6?: string; readonly Description?: string }[];
  readonly PrefixListIds?: readonly {
    readonly PrefixListId?: string;
    readonly Description?: string;
  }[];
}

interface RuleParams {
  readonly GroupId: string;
  readonly IpPermissions: readonly IpPermissionParam[];
}

export const authorizeSecurityGroupIngress = declare<RuleParams>()(
  "AuthorizeSecurityGroupIngress",
  struct({}),
);

export const revokeSecurityGroupIngress = declare<RuleParams>()(
  "RevokeSecurityGroupIngress",
  struct({}),
);

export const describeSubnets = declare<{
  readonly SubnetId?: readonly string[];
  readonly Filter?: readonly Filter[];
}>()(
  "DescribeSubnets",
  struct({
    subnetSet: list(
      struct({
        subnetId: text,
        vpcId: text,
        availabilityZone: text,
        cidrBlock: text,
        tagSet: list(tag),
      }),
    ),
  }),
);

const route = struct({
  destinationCidrBlock: text,
  destinationIpv6CidrBlock: text,
  gatewayId: text,
  instanceId: text,
  state: text,
  origin: text,
});

const routeTable = struct({
  routeTableId: text,
  vpcId: text,
  routeSet: list(route),
  associationSet: list(struct({ subnetId: text, main: boolean })),
  tagSet: list(tag),
});
export type Ec2RouteTable = Value<typeof routeTable>;

export const describeRouteTables = declare<
  { readonly RouteTableId?: readonly string[]; readonly Filter?: readonly Filter[] } & Paged
>()("DescribeRouteTables", struct({ routeTableSet: list(routeTable), nextToken: text }));

export const createRoute = declare<{
  readonly RouteTableId: string;
  readonly DestinationCidrBlock?: string;
  readonly InstanceId?: string;
}>()("CreateRoute", struct({ return: boolean }));

export const deleteRoute = declare<{
  readonly RouteTableId: string;
  readonly DestinationCidrBlock: string;
}>()("DeleteRoute", struct({}));

export const modifyInstanceAttribute = declare<{
  readonly InstanceId: string;
  readonly SourceDestCheck?: { readonly Value: boolean };
}>()("ModifyInstanceAttribute", struct({}));

interface TagsParams {
  readonly ResourceId: readonly string[];
  readonly Tag: readonly TagParam[];
}

export const createTags = declare<TagsParams>()("CreateTags", struct({}));

export const deleteTags = declare<TagsParams>()("DeleteTags", struct({}));
