/** Upstream: cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go. */
import {
  createLoadBalancer,
  type NetworkLoadBalancer,
  type SubnetMapping,
} from "../../client/elbv2-operations.ts";
import { type Annotations, isInternal, lbAnnotations } from "../base/annotations.ts";
import type { LbEnvironment } from "../base/environment.ts";
import { lbTags, type ServiceGoal } from "../base/goal.ts";
import type { Session } from "../base/session.ts";

interface NewNetwork {
  readonly subnetIds: readonly string[];
  readonly groupIds: readonly string[];
  readonly isDualStack: boolean;
}

/** Creates the load balancer itself, without listeners. */
export async function createNetwork(
  session: Session,
  environment: LbEnvironment,
  goal: ServiceGoal,
  { subnetIds, groupIds, isDualStack }: NewNetwork,
): Promise<NetworkLoadBalancer> {
  const { name, annotations } = goal;
  const params = {
    Type: "network",
    Name: name,
    ...(isInternal(annotations) ? { Scheme: "internal" } : {}),
    ...(isDualStack ? { IpAddressType: "dualstack" } : {}),
    SubnetMappings: subnetMappings(annotations, subnetIds),
    SecurityGroups: groupIds,
    Tags: lbTags(goal, environment),
  };
  const predicted = { LoadBalancers: [predictNetwork(name, environment.vpcId, subnetIds)] };
  const failure = "error creating load balancer: %q";
  const { LoadBalancers } = await session.apply(createLoadBalancer, params, predicted, failure);
  const [made] = LoadBalancers;
  if (!made) throw new Error(`AWS created no load balancer of the name ${name}`);
  return made;
}

/** The subnets with the addresses of annotations. Throws if there are more or fewer addresses than subnets. */
function subnetMappings(annotations: Annotations, subnetIds: readonly string[]): SubnetMapping[] {
  const read = (name: string, what: string) => {
    const text = annotations[name];
    if (text === undefined) return undefined;
    const list = text.split(",");
    if (list.length === subnetIds.length) return list;
    const counts = `${what} (${list.length}) and SubnetIDs (${subnetIds.length})`;
    throw new Error(`error creating load balancer: Must have same number of ${counts}`);
  };
  const allocations = read(lbAnnotations.addressAllocations, "EIP AllocationIDs");
  const addresses = read(lbAnnotations.privateAddresses, "Private IPv4Addresses");
  return subnetIds.map((id, index) => {
    const [allocation, address] = [allocations?.[index], addresses?.[index]];
    return {
      SubnetId: id,
      ...(allocation === undefined ? {} : { AllocationId: allocation }),
      ...(address === undefined ? {} : { PrivateIPv4Address: address }),
    };
  });
}

/** What a dry run takes a new load balancer for. */
function predictNetwork(
  name: string,
  vpcId: string,
  subnetIds: readonly string[],
): NetworkLoadBalancer {
  return {
    LoadBalancerArn: `(ARN of ${name})`,
    DNSName: undefined,
    CanonicalHostedZoneId: undefined,
    LoadBalancerName: name,
    Scheme: undefined,
    VpcId: vpcId,
    State: undefined,
    Type: "network",
    AvailabilityZones: subnetIds.map((SubnetId) => ({
      ZoneName: undefined,
      SubnetId,
      LoadBalancerAddresses: [],
    })),
    SecurityGroups: [],
    IpAddressType: undefined,
  };
}
