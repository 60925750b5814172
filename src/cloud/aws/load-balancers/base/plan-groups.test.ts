import assert from "node:assert/strict";
import { test } from "node:test";
import { ClusterTags } from "../../base/cluster-tags.ts";
import { openTo } from "./ip-permissions.ts";
import { planIngress, planReferences, planTags, type SecurityGroup } from "./plan-groups.ts";
import type { AwsAction } from "./session.ts";

const tags = new ClusterTags("", "c");
const own = { key: "kubernetes.io/cluster/c", value: "owned" };
const web = { from: 80, to: 80 };

function group(changes: Partial<SecurityGroup>): SecurityGroup {
  return {
    groupId: "sg-1",
    groupName: "one",
    groupDescription: "",
    vpcId: "vpc-1",
    ipPermissions: [],
    tagSet: [own],
    ...changes,
  };
}

function shown(actions: readonly AwsAction[]): string[] {
  return actions.map(({ operation, params }) => `${operation.action} ${JSON.stringify(params)}`);
}

test("planIngress() adds rules before it removes others, source by source", () => {
  const [a, b] = [openTo("tcp", web, "10.0.0.0/8"), openTo("tcp", web, "192.0.2.0/24")];
  const merged = { ...a, IpRanges: [...(a.IpRanges ?? []), ...(b.IpRanges ?? [])] };
  const wanted = [b, openTo("tcp", web, "198.51.100.0/24")];
  assert.deepEqual(shown(planIngress({ id: "sg-1", permissions: [merged] }, wanted)), [
    'AuthorizeSecurityGroupIngress {"GroupId":"sg-1","IpPermissions":[{"FromPort":80,"ToPort":80,"IpProtocol":"tcp","IpRanges":[{"CidrIp":"198.51.100.0/24"}]}]}',
    'RevokeSecurityGroupIngress {"GroupId":"sg-1","IpPermissions":[{"FromPort":80,"ToPort":80,"IpProtocol":"tcp","IpRanges":[{"CidrIp":"10.0.0.0/8"}]}]}',
  ]);
  assert.deepEqual(planIngress({ id: "sg-1", permissions: [merged] }, [a, b]), []);
});

test("planTags() adds missing tags of the cluster, and refuses another value", () => {
  assert.deepEqual(planTags(group({}), tags), []);
  assert.deepEqual(shown(planTags(group({ tagSet: [] }), tags)), [
    'CreateTags {"ResourceId":["sg-1"],"Tag":[{"Key":"kubernetes.io/cluster/c","Value":"owned"}]}',
  ]);
  const shared = group({ tagSet: [{ key: own.key, value: "shared" }] });
  assert.throws(() => planTags(shared, tags), {
    message:
      'resource "sg-1" has tag belonging to another cluster: "kubernetes.io/cluster/c"="shared" (expected "owned")',
  });
});

test("planReferences() revokes only what refers to the group, in groups of the cluster", () => {
  const pair = (groupId: string) => ({
    groupId,
    groupName: undefined,
    userId: undefined,
    description: undefined,
  });
  const rule = {
    ipProtocol: "-1",
    fromPort: undefined,
    toPort: undefined,
    groups: [pair("sg-1"), pair("sg-lb")],
    ipRanges: [{ cidrIp: "10.0.0.0/8", description: undefined }],
    ipv6Ranges: [],
    prefixListIds: [],
  };
  const groups = [
    group({ ipPermissions: [rule] }),
    group({ groupId: "sg-2", tagSet: [], ipPermissions: [rule] }),
  ];
  assert.deepEqual(shown(planReferences(groups, "sg-lb", tags)), [
    'RevokeSecurityGroupIngress {"GroupId":"sg-1","IpPermissions":[{"IpProtocol":"-1","Groups":[{"GroupId":"sg-lb"}]}]}',
  ]);
});
