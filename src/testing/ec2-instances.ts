import type { Ec2Instance } from "#/cloud/aws/client/ec2-operations.ts";

/** A machine as EC2 describes it: i-1, running, without addresses. */
export function instanceOf(change: Partial<Ec2Instance>): Ec2Instance {
  return {
    instanceId: "i-1",
    instanceType: "t3.medium",
    instanceState: { code: 16, name: "running" },
    placement: { availabilityZone: "us-west-2a" },
    privateDnsName: undefined,
    dnsName: undefined,
    privateIpAddress: undefined,
    ipAddress: undefined,
    subnetId: undefined,
    vpcId: undefined,
    sourceDestCheck: undefined,
    instanceLifecycle: undefined,
    groupSet: [],
    tagSet: [],
    networkInterfaceSet: [],
    ...change,
  };
}

interface InterfaceFacts {
  /** Undefined if it is not attached. */
  readonly deviceIndex?: number;
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  readonly status?: string;
}

export function interfaceOf({
  deviceIndex,
  ipv4,
  ipv6,
  status = "in-use",
}: InterfaceFacts): Ec2Instance["networkInterfaceSet"][number] {
  const attachment = { attachmentId: "a", deviceIndex, status: "attached" };
  return {
    networkInterfaceId: "eni-1",
    status,
    subnetId: undefined,
    privateDnsName: undefined,
    privateIpAddress: ipv4[0],
    sourceDestCheck: undefined,
    attachment: deviceIndex === undefined ? undefined : attachment,
    privateIpAddressesSet: ipv4.map((privateIpAddress) => ({
      privateIpAddress,
      primary: undefined,
    })),
    ipv6AddressesSet: ipv6.map((ipv6Address) => ({ ipv6Address })),
  };
}
