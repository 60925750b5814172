/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */

import { type ClusterTags, hasNoClusterTag } from "../../base/cluster-tags.ts";
import type { describeSubnets, Ec2RouteTable } from "../../client/ec2-operations.ts";
import type { ResultOf } from "../../client/operation.ts";

export type Subnet = ResultOf<typeof describeSubnets>["subnetSet"][number];

const internalRole = "kubernetes.io/role/internal-elb";
const publicRole = "kubernetes.io/role/elb";

/** The subnets of the cluster, and those of no cluster. */
export function clusterSubnets(subnets: readonly Subnet[], tags: ClusterTags): Subnet[] {
  return subnets.filter(({ tagSet }) => tags.has(tagSet) || hasNoClusterTag(tagSet));
}

interface SubnetChoice {
  readonly subnets: readonly Subnet[];
  readonly routeTables: readonly Ec2RouteTable[];
  readonly tags: ClusterTags;
  readonly isInternal: boolean;
}

/** One subnet of each zone, by the name of the zone; public ones only for load balancers of the Internet. */
export function chooseSubnets(choice: SubnetChoice): Map<string, Subnet> {
  const byZone = new Map<string, Subnet>();
  for (const subnet of choice.subnets) {
    const { availabilityZone: zone = "", subnetId = "" } = subnet;
    if (zone === "" || subnetId === "") continue;
    const isPublic = isSubnetPublic(choice.routeTables, subnetId);
    if (!choice.isInternal && !isPublic) continue;
    const chosen = byZone.get(zone);
    if (!chosen || isBetter(subnet, chosen, choice)) byZone.set(zone, subnet);
  }
  return new Map([...byZone].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The tag of the role decides, then that of the cluster, then the id. */
function isBetter(subnet: Subnet, chosen: Subnet, { tags, isInternal }: SubnetChoice): boolean {
  const role = isInternal ? internalRole : publicRole;
  const hasRole = ({ tagSet }: Subnet) => tagSet.some(({ key }) => key === role);
  if (hasRole(subnet) !== hasRole(chosen)) return hasRole(subnet);
  const isOwn = ({ tagSet }: Subnet) => tags.has(tagSet);
  if (isOwn(subnet) !== isOwn(chosen)) return isOwn(subnet);
  return (subnet.subnetId ?? "") < (chosen.subnetId ?? "");
}

/** A subnet is public if its route table, or else the main one, has a route to an Internet gateway. */
function isSubnetPublic(tables: readonly Ec2RouteTable[], subnetId: string): boolean {
  const own = tables.findLast(({ associationSet }) =>
    associationSet.some((association) => association.subnetId === subnetId),
  );
  const table =
    own ?? tables.findLast(({ associationSet }) => associationSet.some(({ main }) => main));
  if (!table) throw new Error(`could not locate routing table for subnet ${subnetId}`);
  return table.routeSet.some(({ gatewayId }) => gatewayId?.startsWith("igw"));
}
