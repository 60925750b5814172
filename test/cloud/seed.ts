import { until } from "#/testing/until.ts";
import type { AwsNames } from "./aws-names.ts";

export const region = "us-east-1";
export const clusterId = "test";
export const clusterTag = `kubernetes.io/cluster/${clusterId}`;

/** The name of the VPC; subnets, groups and instances have names of the same kind. */
export const vpc = "vpc-1";

/**
 * Makes the same network in every moto, and names its parts:
 * - subnets subnet-a, -b, -c in the zones a, b, c, public; subnet-p in zone a, private, for internal load balancers;
 *   subnet-x in zone b, of another cluster; subnet-n in zone c, public, without tags but its name "third".
 * - groups sg-node (of the cluster), sg-own (without tags), sg-extra (without tags), sg-shared (of the cluster), sg-owned
 *   (the cluster's own, referenced by a rule of sg-node).
 * - instances i-1 in zone a, i-2 in b, i-3 in c, with sg-node; i-4 in zone a with sg-own.
 * - addresses eipalloc-1, -2, -3; server certificates one and two.
 */
export async function seed(moto: string, names: AwsNames): Promise<void> {
  await fetch(`${moto}/moto-api/reset`, { method: "POST" });
  await fetch(`${moto}/moto-api/seed?a=42`, { method: "POST" });
  const call = (action: string, params: Readonly<Record<string, string>>) =>
    ec2(moto, action, params);
  const create = async (name: string, tag: string, action: string, params: object) => {
    const text = await call(action, params as Record<string, string>);
    const id = new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(text)?.[1];
    if (id === undefined) throw new Error(`${action}: ${text}`);
    names.add(id, name);
    return id;
  };
  const network = await create(vpc, "vpcId", "CreateVpc", { CidrBlock: "10.0.0.0/16" });
  const gateway = await create("igw-1", "internetGatewayId", "CreateInternetGateway", {});
  await call("AttachInternetGateway", { InternetGatewayId: gateway, VpcId: network });
  const tables = await call("DescribeRouteTables", filter("vpc-id", network));
  const main = /<routeTableId>([^<]+)</.exec(tables)?.[1] ?? "";
  names.add(main, "rtb-main");
  await call("CreateRoute", {
    RouteTableId: main,
    DestinationCidrBlock: "0.0.0.0/0",
    GatewayId: gateway,
  });
  const subnets = await seedSubnets(network, create, call);
  await seedInstances(network, subnets, create, call);
  for (const number of [1, 2, 3, 4]) {
    const params = { "InstanceId.1": names.reveal(`i-${number}`) };
    names.addMachine(number, await call("DescribeInstances", params));
  }
  for (const n of [1, 2, 3]) {
    await create(`eipalloc-${n}`, "allocationId", "AllocateAddress", { Domain: "vpc" });
  }
  for (const name of ["one", "two"]) {
    await send(moto, "iam", {
      Action: "UploadServerCertificate",
      Version: "2010-05-08",
      ServerCertificateName: name,
      CertificateBody: "body",
      PrivateKey: "key",
    });
  }
}

type Create = (name: string, tag: string, action: string, params: object) => Promise<string>;
type Call = (action: string, params: Readonly<Record<string, string>>) => Promise<string>;

async function seedSubnets(network: string, create: Create, call: Call): Promise<string[]> {
  const subnet = async (name: string, zone: string, block: string, tags: [string, string][]) => {
    const id = await create(name, "subnetId", "CreateSubnet", {
      VpcId: network,
      CidrBlock: block,
      AvailabilityZone: `${region}${zone}`,
    });
    await call("CreateTags", { "ResourceId.1": id, ...tagParams(tags) });
    return id;
  };
  const own: [string, string] = [clusterTag, "shared"];
  const open: [string, string] = ["kubernetes.io/role/elb", "1"];
  const a = await subnet("subnet-a", "a", "10.0.1.0/24", [own, open, ["Name", "first"]]);
  const b = await subnet("subnet-b", "b", "10.0.2.0/24", [own, open, ["Name", "second"]]);
  const c = await subnet("subnet-c", "c", "10.0.3.0/24", [own, open]);
  const internal: [string, string] = ["kubernetes.io/role/internal-elb", "1"];
  const p = await subnet("subnet-p", "a", "10.0.4.0/24", [own, internal]);
  await subnet("subnet-x", "b", "10.0.5.0/24", [["kubernetes.io/cluster/other", "owned"], open]);
  await subnet("subnet-n", "c", "10.0.6.0/24", [["Name", "third"]]);
  const table = await create("rtb-private", "routeTableId", "CreateRouteTable", { VpcId: network });
  await call("AssociateRouteTable", { RouteTableId: table, SubnetId: p });
  return [a, b, c, p];
}

async function seedInstances(
  network: string,
  [a = "", b = "", c = ""]: readonly string[],
  create: Create,
  call: Call,
): Promise<void> {
  const group = async (name: string, tags: [string, string][]) => {
    const params = { GroupName: name, GroupDescription: name, VpcId: network };
    const id = await create(name, "groupId", "CreateSecurityGroup", params);
    if (tags.length > 0) await call("CreateTags", { "ResourceId.1": id, ...tagParams(tags) });
    return id;
  };
  const node = await group("sg-node", [[clusterTag, "shared"]]);
  const own = await group("sg-own", []);
  await group("sg-extra", []);
  await group("sg-shared", [[clusterTag, "shared"]]);
  const owned = await group("sg-owned", [[clusterTag, "owned"]]);
  await call("AuthorizeSecurityGroupIngress", {
    GroupId: node,
    "IpPermissions.1.IpProtocol": "-1",
    "IpPermissions.1.Groups.1.GroupId": owned,
  });
  const places = [
    ["i-1", a, node],
    ["i-2", b, node],
    ["i-3", c, node],
    ["i-4", a, own],
  ] as const;
  for (const [name, subnet, security] of places) {
    await create(name, "instanceId", "RunInstances", {
      ImageId: "ami-12c6146b",
      InstanceType: "m5.large",
      MinCount: "1",
      MaxCount: "1",
      SubnetId: subnet,
      "SecurityGroupId.1": security,
      "TagSpecification.1.ResourceType": "instance",
      "TagSpecification.1.Tag.1.Key": clusterTag,
      "TagSpecification.1.Tag.1.Value": "owned",
    });
  }
}

function tagParams(tags: readonly [string, string][]): Record<string, string> {
  return Object.fromEntries(
    tags.flatMap(([key, value], index) => [
      [`Tag.${index + 1}.Key`, key],
      [`Tag.${index + 1}.Value`, value],
    ]),
  );
}

function filter(name: string, value: string): Record<string, string> {
  return { "Filter.1.Name": name, "Filter.1.Value.1": value };
}

/** Sends a call to moto's EC2. */
export function ec2(
  moto: string,
  action: string,
  params: Readonly<Record<string, string>>,
): Promise<string> {
  return send(moto, "ec2", { Action: action, Version: "2016-11-15", ...params });
}

/** Sends a call to moto; it takes any signature, and finds the service in it. */
export async function send(
  moto: string,
  service: string,
  params: Readonly<Record<string, string>>,
): Promise<string> {
  const scope = `test/20260101/${region}/${service}/aws4_request`;
  const reply = await fetch(moto, {
    method: "POST",
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: `${new URLSearchParams(params)}`,
  });
  const text = await reply.text();
  if (reply.status >= 300) throw new Error(`${params["Action"]}: ${text}`);
  return text;
}

/** Waits until moto answers. */
export async function untilMotoAnswers(moto: string): Promise<void> {
  await until("moto answers", () =>
    fetch(`${moto}/moto-api/`).then(
      (reply) => reply.ok,
      () => false,
    ),
  );
}
