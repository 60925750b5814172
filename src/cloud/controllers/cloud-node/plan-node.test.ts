import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, NodeAddress } from "#/api/core/v1.ts";
import type { InstanceMetadata } from "../../base/provider.ts";
import { planAddresses } from "./node-addresses.ts";
import { awaitsCloud, planInitializedNode, planLabelPairs } from "./plan-node.ts";

const taint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule" as const,
};
const other = { key: "x", effect: "NoExecute" as const };
const found: InstanceMetadata = {
  providerId: "cloud://1",
  instanceType: "large",
  addresses: [],
  zone: "z1",
  region: "r1",
  additionalLabels: {},
};
const nothing = { ...found, providerId: "", instanceType: "", zone: "", region: "" };

test("planInitializedNode() sets provider ID and labels, and removes the taint only", () => {
  const node: Node = {
    metadata: { name: "a", labels: { mine: "1" } },
    spec: { taints: [taint, other] },
  };
  assert.equal(awaitsCloud(node), true);
  const planned = planInitializedNode(node, found);
  assert.equal(awaitsCloud(planned), false);
  assert.deepEqual(planned.spec, { providerID: "cloud://1", taints: [other] });
  assert.deepEqual(planned.metadata.labels, {
    mine: "1",
    "beta.kubernetes.io/instance-type": "large",
    "node.kubernetes.io/instance-type": "large",
    "failure-domain.beta.kubernetes.io/zone": "z1",
    "topology.kubernetes.io/zone": "z1",
    "failure-domain.beta.kubernetes.io/region": "r1",
    "topology.kubernetes.io/region": "r1",
  });
});

test("planInitializedNode() keeps the kubelet's provider ID, and sets nothing that the cloud does not know", () => {
  const node: Node = { metadata: { name: "a" }, spec: { providerID: "own://1", taints: [taint] } };
  const planned = planInitializedNode(node, nothing);
  assert.deepEqual([planned.spec?.providerID, planned.metadata.labels], ["own://1", {}]);
  assert.equal(planInitializedNode(node, found).spec?.providerID, "own://1");
});

test("planInitializedNode() adds further labels, but none of Kubernetes' and none that exist", () => {
  const node: Node = { metadata: { name: "a", labels: { "a.io/x": "old" } }, spec: {} };
  const additionalLabels = {
    "a.io/x": "new",
    "b.io/y": "1",
    "k8s.io/z": "1",
    "topology.kubernetes.io/w": "1",
  };
  const { metadata } = planInitializedNode(node, { ...nothing, additionalLabels });
  assert.deepEqual(metadata.labels, { "a.io/x": "old", "b.io/y": "1" });
});

test("planInitializedNode() refuses a node whose address the cloud does not know", () => {
  const annotations = { "alpha.kubernetes.io/provided-node-ip": "10.0.0.9" };
  const node: Node = { metadata: { name: "a", annotations }, spec: { taints: [taint] } };
  const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
  assert.throws(
    () => planInitializedNode(node, { ...found, addresses }),
    /^Error: failed to get node modifiers from cloud provider: provided node ip for node "a" is not valid: failed to get node address from cloud provider that matches ip: 10\.0\.0\.9$/,
  );
});

for (const [claim, labels, expected] of [
  [
    "a missing stable label",
    { "beta.kubernetes.io/instance-type": "x" },
    { "node.kubernetes.io/instance-type": "x" },
  ],
  [
    "a different stable label",
    { "failure-domain.beta.kubernetes.io/zone": "a", "topology.kubernetes.io/zone": "b" },
    { "topology.kubernetes.io/zone": "a" },
  ],
  ["nothing without a beta label", { "topology.kubernetes.io/region": "b" }, {}],
] as const) {
  test(`planLabelPairs() sets ${claim}`, () => {
    assert.deepEqual(planLabelPairs({ metadata: { name: "a", labels }, spec: {} }), expected);
  });
}

const internal = (address: string): NodeAddress => ({ type: "InternalIP", address });
const external = (address: string): NodeAddress => ({ type: "ExternalIP", address });
const host = (address: string): NodeAddress => ({ type: "Hostname", address });

interface AddressCase {
  readonly claim: string;
  readonly has?: readonly NodeAddress[];
  readonly cloud: readonly NodeAddress[];
  readonly provided?: string;
  readonly expected: readonly NodeAddress[] | undefined | RegExp;
}

const cases: readonly AddressCase[] = [
  { claim: "nothing if the cloud knows none", has: [host("a")], cloud: [], expected: undefined },
  {
    claim: "the cloud's with the kubelet's host name",
    has: [host("a")],
    cloud: [internal("10.0.0.1")],
    expected: [internal("10.0.0.1"), host("a")],
  },
  {
    claim: "the cloud's host name",
    has: [host("a")],
    cloud: [internal("10.0.0.1"), host("b")],
    expected: [internal("10.0.0.1"), host("b")],
  },
  {
    claim: "nothing if they are equal",
    has: [internal("10.0.0.1"), host("a")],
    cloud: [internal("10.0.0.1")],
    expected: undefined,
  },
  {
    claim: "the provided one first, alone of its type",
    cloud: [internal("10.0.0.1"), internal("10.0.0.2"), external("1.2.3.4")],
    provided: "10.0.0.2",
    expected: [internal("10.0.0.2"), external("1.2.3.4")],
  },
  {
    claim: "both provided ones",
    cloud: [internal("10.0.0.1"), internal("fd00::1")],
    provided: "fd00::1,10.0.0.1",
    expected: [internal("fd00::1"), internal("10.0.0.1")],
  },
  {
    claim: "an error for an unknown provided one",
    cloud: [internal("10.0.0.1")],
    provided: "10.0.0.3",
    expected: /matches ip: 10\.0\.0\.3/,
  },
  {
    claim: "an error for a text",
    cloud: [internal("10.0.0.1")],
    provided: "x",
    expected: /failed to parse node IP "x": could not parse "x"/,
  },
  {
    claim: "an error for two of a family",
    cloud: [internal("10.0.0.1")],
    provided: "10.0.0.1,10.0.0.2",
    expected: /single IP or a dual-stack pair/,
  },
];

for (const { claim, has = [], cloud, provided, expected } of cases) {
  test(`planAddresses() gives ${claim}`, () => {
    const annotations = provided ? { "alpha.kubernetes.io/provided-node-ip": provided } : {};
    const node: Node = {
      metadata: { name: "a", annotations },
      spec: {},
      status: { addresses: [...has] },
    };
    if (expected instanceof RegExp) assert.throws(() => planAddresses(node, cloud), expected);
    else assert.deepEqual(planAddresses(node, cloud), expected);
  });
}
