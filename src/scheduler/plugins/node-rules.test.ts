import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec, PreferredSchedulingTerm, Taint } from "#/api/core/v1.ts";
import {
  filterTexts,
  occupied,
  scoresOf,
  testNode,
  testPlugin,
  testPod,
} from "#/testing/scheduler-objects.ts";
import type { Plugin } from "../framework/plugin.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";
import { nodeName } from "./node-name.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";
import { schedulingGates } from "./scheduling-gates.ts";
import { taintToleration } from "./shared/taint-toleration.ts";

const taint = (effect: Taint["effect"], key = "key"): Taint => ({ key, value: "value", effect });
const hostPort = (port: number, hostIP?: string): Partial<PodSpec> => ({
  containers: [
    {
      name: "main",
      image: "main",
      ports: [{ containerPort: 80, hostPort: port, ...(hostIP ? { hostIP } : {}) }],
    },
  ],
});
const named = (operator: "In" | "NotIn", values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator, values }] }],
      },
    },
  },
});

const plain = occupied(testNode("plain"));
const labelled = occupied(testNode("labelled", { metadata: { labels: { disk: "ssd" } } }));
const cordoned = occupied(testNode("cordoned", { spec: { unschedulable: true } }));
const tainted = occupied(testNode("tainted", { spec: { taints: [taint("NoSchedule")] } }));
const evicting = occupied(testNode("evicting", { spec: { taints: [taint("NoExecute")] } }));
const soft = occupied(testNode("soft", { spec: { taints: [taint("PreferNoSchedule")] } }));
const taken = occupied(testNode("taken"), [testPod("other", { spec: hostPort(8080) })]);
const takenOnOne = occupied(testNode("one"), [
  testPod("other", { spec: hostPort(8080, "10.0.0.1") }),
]);
const able = occupied(
  testNode("able", {
    status: {
      allocatable: { pods: "10" },
      declaredFeatures: ["RestartAllContainersOnContainerExits"],
    },
  }),
);

const affinityText = "node(s) didn't match Pod's node affinity/selector";
const portText = "node(s) didn't have free ports for the requested pod ports";
const taintText = "node(s) had untolerated taint(s)";

const filterCases: readonly {
  readonly name: string;
  readonly plugin: Plugin;
  readonly spec?: Partial<PodSpec>;
  readonly nodes: readonly ReturnType<typeof occupied>[];
  readonly texts: string | Record<string, string>;
}[] = [
  {
    name: "NodeName accepts every node for a pod without a node name",
    plugin: testPlugin(nodeName),
    nodes: [plain],
    texts: { plain: "" },
  },
  {
    name: "NodeName accepts the named node only",
    plugin: testPlugin(nodeName),
    spec: { nodeName: "plain" },
    nodes: [plain, labelled],
    texts: { plain: "" },
  },
  {
    name: "NodeUnschedulable rejects cordoned nodes",
    plugin: testPlugin(nodeUnschedulable),
    nodes: [plain, cordoned],
    texts: { plain: "", cordoned: "node(s) were unschedulable" },
  },
  {
    name: "NodeUnschedulable accepts pods that tolerate the taint",
    plugin: testPlugin(nodeUnschedulable),
    spec: { tolerations: [{ operator: "Exists" }] },
    nodes: [cordoned],
    texts: { cordoned: "" },
  },
  {
    name: "TaintToleration rejects hard taints and not soft ones",
    plugin: testPlugin(taintToleration),
    nodes: [plain, tainted, evicting, soft],
    texts: { plain: "", tainted: taintText, evicting: taintText, soft: "" },
  },
  {
    name: "TaintToleration honours tolerations by effect",
    plugin: testPlugin(taintToleration),
    spec: { tolerations: [{ key: "key", operator: "Exists", effect: "NoSchedule" }] },
    nodes: [tainted, evicting],
    texts: { tainted: "", evicting: taintText },
  },
  {
    name: "NodeAffinity honours nodeSelector",
    plugin: testPlugin(nodeAffinity),
    spec: { nodeSelector: { disk: "ssd" } },
    nodes: [plain, labelled],
    texts: { plain: affinityText, labelled: "" },
  },
  {
    name: "NodeAffinity filters only the nodes that all terms name",
    plugin: testPlugin(nodeAffinity),
    spec: named("In", ["labelled"]),
    nodes: [plain, labelled],
    texts: { labelled: "" },
  },
  {
    name: "NodeAffinity filters all nodes for NotIn",
    plugin: testPlugin(nodeAffinity),
    spec: named("NotIn", ["labelled"]),
    nodes: [plain, labelled],
    texts: { plain: "", labelled: affinityText },
  },
  {
    name: "NodeAffinity adds the configuration's affinity",
    plugin: testPlugin(nodeAffinity, {
      addedAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }],
        },
      },
    }),
    nodes: [plain, labelled],
    texts: { plain: "node(s) didn't match scheduler-enforced node affinity", labelled: "" },
  },
  {
    name: "NodePorts rejects a port that is in use on any address",
    plugin: testPlugin(nodePorts),
    spec: hostPort(8080, "10.0.0.2"),
    nodes: [plain, taken, takenOnOne],
    texts: { plain: "", taken: portText, one: "" },
  },
  {
    name: "NodePorts rejects a port on all addresses if one address uses it",
    plugin: testPlugin(nodePorts),
    spec: hostPort(8080),
    nodes: [takenOnOne],
    texts: { one: portText },
  },
  {
    name: "NodeDeclaredFeatures requires a kubelet that declares the pod's features",
    plugin: testPlugin(nodeDeclaredFeatures),
    spec: {
      containers: [
        {
          name: "main",
          image: "main",
          restartPolicyRules: [{ action: "RestartAllContainers" }],
        },
      ],
    },
    nodes: [plain, able],
    texts: { plain: "node(s) didn't match Pod's required features", able: "" },
  },
];

for (const { name, plugin, spec = {}, nodes, texts } of filterCases) {
  test(name, () => {
    assert.deepEqual(filterTexts(plugin, testPod("pod", { spec }), nodes), texts);
  });
}

test("TaintToleration prefers nodes with few soft taints", () => {
  const two = testNode("two", {
    spec: { taints: [taint("PreferNoSchedule", "a"), taint("PreferNoSchedule", "b")] },
  });
  const nodes = [plain, soft, occupied(two)];
  assert.deepEqual(scoresOf(testPlugin(taintToleration), testPod("pod"), nodes), {
    plain: 100,
    soft: 50,
    two: 0,
  });
});

test("NodeAffinity adds up the weights of preferences", () => {
  const preferred: PreferredSchedulingTerm[] = [
    { weight: 10, preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] } },
    {
      weight: 30,
      preference: { matchFields: [{ key: "metadata.name", operator: "In", values: ["plain"] }] },
    },
  ];
  const spec = {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
  };
  const scores = scoresOf(testPlugin(nodeAffinity), testPod("pod", { spec }), [plain, labelled]);
  assert.deepEqual(scores, { plain: 100, labelled: 33 });
});

test("SchedulingGates names the gates", () => {
  const pod = testPod("pod", { spec: { schedulingGates: [{ name: "a" }, { name: "b" }] } });
  assert.deepEqual(testPlugin(schedulingGates).preEnqueue?.(pod)?.reasons, [
    "waiting for scheduling gates: [a b]",
  ]);
  assert.equal(testPlugin(schedulingGates).preEnqueue?.(testPod("pod")), undefined);
});
