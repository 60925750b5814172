import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ec2RouteTable } from "../client/ec2-operations.ts";
import { computeRoutes, planCreateRoute, planDrift, planRemoveRoute } from "./plan-routes.ts";

type Row = Ec2RouteTable["routeSet"][number];

const row = (change: Partial<Row>): Row => ({
  destinationCidrBlock: undefined,
  destinationIpv6CidrBlock: undefined,
  gatewayId: undefined,
  instanceId: undefined,
  state: "active",
  origin: undefined,
  ...change,
});

const table = (...routeSet: Row[]): Ec2RouteTable => ({
  routeTableId: "rtb-1",
  vpcId: "vpc-1",
  routeSet,
  associationSet: [],
  tagSet: [],
});

const route = { name: "", targetNode: "n", destinationCidr: "10.1.0.0/24", isBlackhole: false };
const instances = new Map([["n", "i-1"]]);
const letThrough = {
  call: "ec2:ModifyInstanceAttribute",
  params: { InstanceId: "i-1", SourceDestCheck: { Value: false } },
  of: "instance i-1 of Node n",
};
const remove = {
  call: "ec2:DeleteRoute",
  params: { DestinationCidrBlock: "10.1.0.0/24", RouteTableId: "rtb-1" },
};
const create = {
  call: "ec2:CreateRoute",
  params: { DestinationCidrBlock: "10.1.0.0/24", InstanceId: "i-1", RouteTableId: "rtb-1" },
  of: "route 10.1.0.0/24 of Node n",
};

const plans = [
  { name: "a new route", rows: [], actions: [letThrough, create] },
  {
    name: "a route in place of a dead one",
    rows: [row({ destinationCidrBlock: "10.1.0.0/24", state: "blackhole" })],
    actions: [letThrough, { ...remove, of: "blackhole route 10.1.0.0/24 of Node n" }, create],
  },
  {
    name: "a route beside a dead one of another network",
    rows: [row({ destinationCidrBlock: "10.2.0.0/24", state: "blackhole" })],
    actions: [letThrough, create],
  },
];

for (const { name, rows, actions } of plans) {
  test(`planCreateRoute() plans ${name}`, () => {
    assert.deepEqual(planCreateRoute(route, { table: table(...rows), instances }), actions);
  });
}

test("planCreateRoute() plans nothing without a machine", () => {
  assert.deepEqual(planCreateRoute(route, { table: table(), instances: new Map() }), []);
});

test("planDrift() reports machines with routes that drop packets of Pods", () => {
  const rows = ["i-1", "i-2", "i-1", "i-3"].map((instanceId) => row({ instanceId }));
  const targets = new Map([
    ["i-1", { sourceDestCheck: true }],
    ["i-2", { sourceDestCheck: false }],
    ["i-9", { sourceDestCheck: true }],
  ]);
  assert.deepEqual(planDrift(table(...rows), targets), [
    { ...letThrough, of: "instance i-1, whose routes drop packets of Pods" },
  ]);
});

test("planRemoveRoute() names the table and the network", () => {
  const expected = { ...remove, of: "route 10.1.0.0/24 of Node n" };
  assert.deepEqual(planRemoveRoute(route, table()), expected);
});

test("computeRoutes() lists routes to nodes and dead ones, not those to gateways", () => {
  const found = computeRoutes(
    table(
      row({ destinationCidrBlock: "0.0.0.0/0", gatewayId: "igw-1" }),
      row({ destinationIpv6CidrBlock: "::/0", instanceId: "i-1" }),
      row({ destinationCidrBlock: "10.1.0.0/24", instanceId: "i-1" }),
      row({ destinationCidrBlock: "10.2.0.0/24", instanceId: "i-2" }),
      row({ destinationCidrBlock: "10.3.0.0/24", instanceId: "i-3", state: "blackhole" }),
    ),
    "demo",
    (id) => (id === "i-1" ? "n" : undefined),
  );
  assert.deepEqual(found, [
    { ...route, name: "demo-10.1.0.0/24" },
    { name: "demo-10.3.0.0/24", targetNode: "", destinationCidr: "10.3.0.0/24", isBlackhole: true },
  ]);
});
