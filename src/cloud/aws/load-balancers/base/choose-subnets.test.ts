import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterTags } from "../../base/cluster-tags.ts";
import type { Ec2RouteTable } from "../../client/ec2-operations.ts";
import { chooseSubnets, clusterSubnets, type Subnet } from "./choose-subnets.ts";

const tags = new ClusterTags("", "c");
const subnet = (subnetId: string, zone: string, ...keys: readonly string[]): Subnet => ({
  subnetId,
  vpcId: "vpc",
  availabilityZone: zone,
  cidrBlock: "10.0.0.0/24",
  tagSet: keys.map((key) => ({ key, value: "1" })),
});
const table = (gatewayId: string, association: object): Ec2RouteTable =>
  ({
    routeTableId: gatewayId,
    routeSet: [{ gatewayId }],
    associationSet: [association],
    tagSet: [],
  }) as unknown as Ec2RouteTable;
const routeTables = [
  table("igw-1", { main: true }),
  table("local", { subnetId: "private", main: false }),
];
const own = "kubernetes.io/cluster/c";
const role = "kubernetes.io/role/elb";

const cases = [
  {
    name: "one of each zone, in order of zones",
    subnets: [subnet("2", "b"), subnet("1", "a")],
    expected: ["1", "2"],
  },
  { name: "no private one", subnets: [subnet("private", "a"), subnet("2", "b")], expected: ["2"] },
  {
    name: "a private one if internal",
    subnets: [subnet("private", "a")],
    internal: true,
    expected: ["private"],
  },
  {
    name: "the one of the role",
    subnets: [subnet("1", "a", own), subnet("2", "a", role)],
    expected: ["2"],
  },
  {
    name: "the cluster's own",
    subnets: [subnet("1", "a"), subnet("2", "a", own)],
    expected: ["2"],
  },
  { name: "the first by id", subnets: [subnet("2", "a"), subnet("1", "a")], expected: ["1"] },
];
for (const { name, subnets, internal = false, expected } of cases) {
  test(`chooseSubnets() takes ${name}`, () => {
    const chosen = chooseSubnets({ subnets, routeTables, tags, isInternal: internal });
    assert.deepEqual(
      [...chosen.values()].map(({ subnetId }) => subnetId),
      expected,
    );
  });
}

test("clusterSubnets() leaves out those of other clusters", () => {
  const all = [
    subnet("1", "a", own),
    subnet("2", "a", "kubernetes.io/cluster/d"),
    subnet("3", "a"),
  ];
  assert.deepEqual(
    clusterSubnets(all, tags).map(({ subnetId }) => subnetId),
    ["1", "3"],
  );
});
