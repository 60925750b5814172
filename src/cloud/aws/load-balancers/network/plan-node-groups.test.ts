import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterTags } from "../../base/cluster-tags.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import type { SecurityGroup } from "../base/plan-groups.ts";
import type { NetworkPort } from "./network-ports.ts";
import { planNodeGroups } from "./plan-node-groups.ts";

const tags = new ClusterTags("", "c");
const port: NetworkPort = {
  name: "http",
  port: 80,
  protocol: "TCP",
  targetPort: 30_080,
  targetProtocol: "TCP",
  healthCheck: {
    port: "traffic-port",
    path: "",
    protocol: "TCP",
    intervalSeconds: 30,
    healthyThreshold: 3,
    unhealthyThreshold: 3,
  },
};
const instance = {
  instanceId: "i-1",
  groupSet: [{ groupId: "sg-1", groupName: "n" }],
} as unknown as Ec2Instance;

/** Rules of a group: "tcp 30080 10.0.0.0/8 description". */
function group(groupId: string, ...rules: readonly string[]): SecurityGroup {
  return {
    groupId,
    groupName: groupId,
    groupDescription: "",
    vpcId: "vpc",
    tagSet: [{ key: "kubernetes.io/cluster/c", value: "owned" }],
    ipPermissions: rules.map((rule) => {
      const [ipProtocol = "", from = "", cidrIp = "", description = ""] = rule.split(" ");
      const isIcmp = ipProtocol === "icmp";
      return {
        ipProtocol,
        fromPort: isIcmp ? 3 : Number(from),
        toPort: isIcmp ? 4 : Number(from),
        groups: [],
        ipRanges: [{ cidrIp, description }],
        ipv6Ranges: [],
        prefixListIds: [],
      };
    }),
  };
}

const client = (range: string, at = 30_080) =>
  `tcp ${at} ${range} kubernetes.io/rule/nlb/client=lb`;
const health = (range: string) => `tcp 30080 ${range} kubernetes.io/rule/nlb/health=lb`;
const mtu = (range: string) => `icmp 3 ${range} kubernetes.io/rule/nlb/mtu`;
const everywhere = "0.0.0.0/0";

const cases = [
  {
    name: "clients everywhere need no rule of their own for health",
    groups: [group("sg-1")],
    ranges: [everywhere],
    expected: [`+ sg-1 ${client(everywhere)}`, `+ sg-1 ${mtu(everywhere)}`],
  },
  {
    name: "clients of a network need one for health",
    groups: [group("sg-1")],
    ranges: ["10.0.0.0/8"],
    expected: [
      `+ sg-1 ${health("192.0.2.0/24")}`,
      `+ sg-1 ${client("10.0.0.0/8")}`,
      `+ sg-1 ${mtu("10.0.0.0/8")}`,
    ],
  },
  {
    name: "nothing that is there",
    groups: [group("sg-1", client(everywhere), mtu(everywhere))],
    ranges: [everywhere],
    expected: [],
  },
  {
    name: "another port takes the place of the old one",
    groups: [group("sg-1", client(everywhere, 30_099), mtu(everywhere))],
    ranges: [everywhere],
    expected: [`- sg-1 ${client(everywhere, 30_099)}`, `+ sg-1 ${client(everywhere)}`],
  },
  {
    name: "a group without instances is closed",
    groups: [
      group("sg-1", client(everywhere), mtu(everywhere)),
      group("sg-2", client(everywhere), mtu(everywhere)),
    ],
    ranges: [everywhere],
    expected: [`- sg-2 ${client(everywhere)}`, `- sg-2 ${mtu(everywhere)}`],
  },
  {
    name: "a rule for the size of packets that is missing is added",
    groups: [group("sg-1", client(everywhere))],
    ranges: [everywhere],
    expected: [`+ sg-1 ${mtu(everywhere)}`],
  },
  {
    name: "a rule for the size of packets that was left is removed",
    groups: [group("sg-1", client(everywhere), mtu(everywhere)), group("sg-2", mtu(everywhere))],
    ranges: [everywhere],
    expected: [`- sg-2 ${mtu(everywhere)}`],
  },
  {
    name: "rules of other load balancers stay",
    groups: [group("sg-2", `${client(everywhere)}2`, client("10.0.0.0/8"), mtu(everywhere))],
    ranges: [everywhere],
    expected: [`- sg-2 ${client("10.0.0.0/8")}`],
  },
];
for (const { name, groups, ranges, expected } of cases) {
  test(`planNodeGroups() of network load balancers: ${name}`, () => {
    const actions = planNodeGroups({
      loadBalancerName: "lb",
      groups,
      tags,
      fixedGroupId: "",
      instances: [instance],
      ports: [port],
      clientRanges: ranges,
      ownRanges: ["192.0.2.0/24"],
    });
    const shown = actions.flatMap(({ operation, params }) => {
      const { GroupId, IpPermissions } = params as {
        GroupId: string;
        IpPermissions: readonly {
          IpProtocol: string;
          FromPort: number;
          IpRanges: readonly { CidrIp: string; Description: string }[];
        }[];
      };
      const sign = operation.action.startsWith("Revoke") ? "-" : "+";
      return IpPermissions.map(({ IpProtocol, FromPort, IpRanges: [range] }) =>
        [sign, GroupId, IpProtocol, FromPort, range?.CidrIp, range?.Description].join(" "),
      );
    });
    assert.deepEqual(shown, expected);
  });
}
