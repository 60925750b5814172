import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterTags } from "../../base/cluster-tags.ts";
import type { Ec2Instance } from "../../client/ec2-operations.ts";
import type { SecurityGroup } from "../base/plan-groups.ts";
import { planNodeGroups, sortLbGroups } from "./plan-node-groups.ts";

const tags = new ClusterTags("", "c");
const instance = (...ids: readonly string[]) =>
  ({
    instanceId: "i-1",
    groupSet: ids.map((groupId) => ({ groupId, groupName: "n" })),
  }) as unknown as Ec2Instance;

/** A group that lets another one in, or none. */
function group(groupId: string, isTagged: boolean, from?: string): SecurityGroup {
  const pair = { groupId: from, groupName: undefined, userId: undefined, description: undefined };
  const rule = {
    ipProtocol: "-1",
    fromPort: undefined,
    toPort: undefined,
    groups: [pair],
    ipRanges: [],
    ipv6Ranges: [],
    prefixListIds: [],
  };
  return {
    groupId,
    groupName: groupId,
    groupDescription: "",
    vpcId: "vpc",
    tagSet: isTagged ? [{ key: "kubernetes.io/cluster/c", value: "owned" }] : [],
    ipPermissions: from === undefined ? [] : [rule],
  };
}

const cases = [
  {
    name: "opens the group of instances",
    groups: [group("n", true)],
    instances: [instance("n")],
    expected: ["+ n lb"],
  },
  {
    name: "keeps an open one",
    groups: [group("n", true, "lb")],
    instances: [instance("n")],
    expected: [],
  },
  {
    name: "closes one without instances",
    groups: [group("n", true, "lb")],
    instances: [],
    expected: ["- n lb"],
  },
  { name: "keeps one of others", groups: [group("n", false, "lb")], instances: [], expected: [] },
  {
    name: "closes one of others before its source is deleted",
    groups: [group("n", false, "lb")],
    instances: [],
    isDeleting: true,
    expected: ["- n lb"],
  },
  {
    name: "never changes the configured one",
    groups: [group("fixed", true)],
    instances: [instance("fixed")],
    expected: [],
  },
  {
    name: "opens the tagged one of an instance with two",
    groups: [group("n", true), group("m", false)],
    instances: [instance("m", "n")],
    expected: ["+ n lb"],
  },
];
for (const { name, groups, instances, isDeleting = false, expected } of cases) {
  test(`planNodeGroups() of classic load balancers ${name}`, () => {
    const facts = {
      lbGroupIds: ["lb"],
      groups,
      instances,
      tags,
      fixedGroupId: "fixed",
      isDeleting,
    };
    const shown = planNodeGroups(facts, {}).map(({ operation, params }) => {
      const { GroupId, IpPermissions } = params as {
        GroupId: string;
        IpPermissions: readonly { Groups: readonly { GroupId: string }[] }[];
      };
      const sign = operation.action.startsWith("Revoke") ? "-" : "+";
      return `${sign} ${GroupId} ${IpPermissions[0]?.Groups[0]?.GroupId}`;
    });
    assert.deepEqual(shown, expected);
  });
}

test("planNodeGroups() refuses an instance with two tagged groups", () => {
  const groups = [group("n", true), group("m", true)];
  const instances = [instance("m", "n")];
  const facts = {
    lbGroupIds: ["lb"],
    groups,
    instances,
    tags,
    fixedGroupId: "",
    isDeleting: false,
  };
  assert.throws(() => planNodeGroups(facts, {}), {
    message:
      "Multiple tagged security groups found for instance i-1; ensure only the k8s security group is tagged; the tagged groups were m(n) n(n) ",
  });
});

test("sortLbGroups() puts annotated groups in their order, extra ones last", () => {
  const prefix = "service.beta.kubernetes.io/aws-load-balancer-";
  const annotations = {
    [`${prefix}security-groups`]: "b,a",
    [`${prefix}extra-security-groups`]: "c",
  };
  assert.deepEqual(sortLbGroups(["c", "a", "x", "b"], annotations, new Set()), [
    "b",
    "a",
    "x",
    "c",
  ]);
});
