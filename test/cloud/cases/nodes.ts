import type { CloudCase, NewNode, NodeGoal, Step } from "../cloud-case.ts";
import type { Fault } from "../recording-proxy.ts";

const nodeController = ["cloud-node-controller"];
const lifecycle = ["cloud-node-lifecycle-controller"];
const routes = ["node-route-controller"];
const tagging = ["tagging"];

const soon = ["--node-monitor-period=2s"];
const routesSoon = ["--route-reconciliation-period=2s"];
const tags = ["--tags=team=shop,stage=test", "--resources=instance"];

const notReady: Step = {
  patchNode: "node-2",
  with: {
    status: {
      conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "" }],
    },
  },
  until: "idle",
};
const ready: Step = {
  patchNode: "node-2",
  with: {
    status: {
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }],
    },
  },
  until: "untainted",
};
const clusterTable: NonNullable<CloudCase["prepare"]> = [
  {
    action: "CreateTags",
    params: {
      "ResourceId.1": "rtb-main",
      "Tag.1.Key": "kubernetes.io/cluster/test",
      "Tag.1.Value": "owned",
    },
  },
];

/** Nodes: their machines' facts, their end, routes to their Pods, and tags of their machines. */
export const nodeCases: readonly CloudCase[] = [
  initialized("by its private name", {}),
  initialized("by its provider id", { providerId: "aws:///us-east-1a/i-1" }),
  initialized("by a provider id without zone", { providerId: "aws:///i-1" }),
  initialized("with labels of its own", {
    labels: { "topology.kubernetes.io/zone": "here", "node.kubernetes.io/instance-type": "mine" },
  }),
  {
    ...initialized("with IPv4 and IPv6 wanted", {}),
    global: { NodeIPFamilies: "ipv4" },
  },
  {
    ...initialized("while AWS throttles", {}),
    steps: [
      {
        addNewNode: "i-1",
        until: "initialized",
        faults: [fault("ec2:DescribeInstances", "RequestLimitExceeded", 2)],
      },
    ],
  },
  {
    name: "node: terminated machine",
    controllers: lifecycle,
    flags: soon,
    steps: [
      { call: "TerminateInstances", params: { "InstanceId.1": "i-2" }, until: "idle" },
      { ...notReady, until: "one less" },
    ],
  },
  {
    name: "node: stopped machine that starts again",
    controllers: lifecycle,
    flags: soon,
    steps: [
      { call: "StopInstances", params: { "InstanceId.1": "i-2" }, until: "idle" },
      { ...notReady, until: "tainted" },
      { call: "StartInstances", params: { "InstanceId.1": "i-2" }, until: "idle" },
      ready,
    ],
  },
  {
    name: "node: terminated machine while AWS refuses",
    controllers: lifecycle,
    flags: soon,
    steps: [
      { call: "TerminateInstances", params: { "InstanceId.1": "i-2" }, until: "idle" },
      {
        ...notReady,
        until: "one less",
        faults: [fault("ec2:DescribeInstances", "UnauthorizedOperation", 1)],
      },
    ],
  },
  routed("of three nodes", [...threeNodes("routed")]),
  routed("of a node that goes", [
    ...threeNodes("routed"),
    { removeNode: "dns-2", until: "one less" },
    { call: "DescribeVpcs", params: {}, until: "idle" },
  ]),
  {
    ...routed("in a table by configuration", [...threeNodes("routed")]),
    prepare: [],
    global: { RouteTableID: "rtb-main" },
  },
  routed("that AWS refuses once", [
    {
      ...addNode("i-1", "routed"),
      faults: [fault("ec2:CreateRoute", "RouteLimitExceeded", 1)],
    },
  ]),
  routed("killed after change 1", [
    { ...addNode("i-1", "routed"), killAfter: { call: "change", nth: 1 } },
  ]),
  routed("killed after change 2", [
    { ...addNode("i-1", "routed"), killAfter: { call: "change", nth: 2 } },
  ]),
  {
    name: "tags: of the machines of nodes",
    controllers: tagging,
    flags: tags,
    nodes: ["i-1"],
    steps: [
      { addNode: "i-2", until: "tagged" },
      { removeNode: "node-2", until: "one less" },
    ],
  },
  {
    name: "tags: refused once",
    controllers: tagging,
    flags: tags,
    nodes: [],
    steps: [
      {
        addNode: "i-1",
        until: "tagged",
        faults: [fault("ec2:CreateTags", "UnauthorizedOperation", 1)],
      },
    ],
  },
];

function initialized(
  name: string,
  node: NewNode,
  until: NodeGoal | "idle" = "initialized",
): CloudCase {
  const steps: Step[] = [{ addNewNode: "i-1", node, until }];
  return { name: `node: ${name}`, controllers: nodeController, nodes: [], steps };
}

function routed(name: string, steps: readonly Step[]): CloudCase {
  return {
    name: `routes: ${name}`,
    controllers: routes,
    flags: routesSoon,
    nodes: [],
    prepare: clusterTable,
    steps,
  };
}

function addNode(instance: string, until: NodeGoal | "idle"): Step {
  const number = instance.slice(2);
  const providerId = `aws:///us-east-1${"abc"[Number(number) - 1]}/${instance}`;
  const node: NewNode = { podCidr: `10.244.${number}.0/24`, providerId };
  return { addNewNode: instance, node, until };
}

function threeNodes(until: NodeGoal): Step[] {
  return [addNode("i-1", "idle"), addNode("i-2", "idle"), addNode("i-3", until)];
}

function fault(call: string, code: string, times: number, status = 400): Fault {
  return { call, code, times, status, message: "a fault of the test" };
}
