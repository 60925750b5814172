/** Upstream: cloud-provider-aws pkg/providers/v1/aws.go. */
import { describeRouteTables, describeSubnets } from "../../client/ec2-operations.ts";
import { type Annotations, isInternal, lbAnnotations, readList } from "./annotations.ts";
import { chooseSubnets, clusterSubnets, type Subnet } from "./choose-subnets.ts";
import type { LbEnvironment } from "./environment.ts";
import { type Session, wrap } from "./session.ts";

/** The subnets of a load balancer: those of its annotation, or one of each zone. */
export async function findLbSubnets(
  session: Session,
  environment: LbEnvironment,
  annotations: Annotations,
): Promise<readonly Subnet[]> {
  const named = annotations[lbAnnotations.subnets];
  const found =
    named === undefined
      ? await discover(session, environment, isInternal(annotations))
      : await resolve(session, environment, readList(named));
  if (found.length > 0) return found;
  throw new Error("could not find any suitable subnets for creating the ELB");
}

async function discover(
  session: Session,
  environment: LbEnvironment,
  isInternalLb: boolean,
): Promise<readonly Subnet[]> {
  const { vpcId, tags, zones } = environment;
  const ofVpc = { Filter: [{ Name: "vpc-id", Value: [vpcId] }] };
  const subnets = await listClusterSubnets(session, environment);
  const failure = "error describe route table: %q";
  const { routeTableSet } = await session.read(describeRouteTables, ofVpc, failure);
  const choice = { subnets, routeTables: routeTableSet, tags, isInternal: isInternalLb };
  const byZone = chooseSubnets(choice);
  const types = await zones.typesOf([...byZone.keys()]).catch((error: unknown) => {
    throw wrap(error, "error get availability zone types: %q");
  });
  const isRegular = (zone: string) => (types.get(zone) ?? regularZone) === regularZone;
  return [...byZone].filter(([zone]) => isRegular(zone)).map(([, subnet]) => subnet);
}

/** Classic and network load balancers exist in zones of this type only. */
const regularZone = "availability-zone";

async function listClusterSubnets(
  session: Session,
  { vpcId, tags, ownSubnetId }: LbEnvironment,
): Promise<readonly Subnet[]> {
  const failure = "error describing subnets: %q";
  const list = async (name: string, value: string) => {
    const params = { Filter: [{ Name: name, Value: [value] }] };
    return (await session.read(describeSubnets, params, failure)).subnetSet;
  };
  const own = clusterSubnets(await list("vpc-id", vpcId), tags);
  return own.length > 0 ? own : await list("subnet-id", ownSubnetId);
}

async function resolve(
  session: Session,
  { vpcId }: LbEnvironment,
  namesOrIds: readonly string[],
): Promise<readonly Subnet[]> {
  if (namesOrIds.length === 0) throw new Error("unable to resolve empty subnet slice");
  const isId = (text: string) => text.startsWith("subnet-");
  const ids = namesOrIds.filter(isId);
  const names = namesOrIds.filter((text) => !isId(text));
  const byId = ids.length > 0 ? await session.read(describeSubnets, { SubnetId: ids }) : undefined;
  const filters = [
    { Name: "tag:Name", Value: names },
    { Name: "vpc-id", Value: [vpcId] },
  ];
  const byName =
    names.length > 0 ? await session.read(describeSubnets, { Filter: filters }) : undefined;
  const found = [...(byId?.subnetSet ?? []), ...(byName?.subnetSet ?? [])];
  if (found.length === namesOrIds.length) return found;
  throw new Error(`expected to find ${namesOrIds.length}, but found ${found.length} subnets`);
}

/** The networks of the subnets that a load balancer has; those that are known already are not asked for. */
export async function subnetCidrs(
  session: Session,
  known: readonly Subnet[],
  ids: readonly string[],
): Promise<string[]> {
  const byId = new Map(known.map((subnet) => [subnet.subnetId, subnet]));
  let subnets = ids.flatMap((id) => byId.get(id) ?? []);
  if (subnets.length !== ids.length) {
    const failure = "error querying Subnet for ELB: %q";
    const { subnetSet } = await session.read(describeSubnets, { SubnetId: ids }, failure);
    subnets = [...subnetSet];
  }
  if (subnets.length !== ids.length) {
    const all = `[${ids.join(" ")}]`;
    throw new Error(`error querying Subnet for ELB, got ${subnets.length} subnets for ${all}`);
  }
  return subnets.map(({ cidrBlock = "" }) => cidrBlock);
}
