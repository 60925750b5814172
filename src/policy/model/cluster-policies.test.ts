import assert from "node:assert/strict";
import { test } from "node:test";
import { policyRules } from "../plan/policy-rules.ts";
import { type ClusterPolicy, clusterPolicyKinds, clusterPolicyOf } from "./cluster-policies.ts";

const [cluster, admin, baseline] = clusterPolicyKinds;
assert.ok(cluster && admin && baseline);

const everywhere = { namespaces: {} };
const policyOf = (spec: Partial<ClusterPolicy["spec"]>, { resource, tier } = cluster) =>
  clusterPolicyOf(resource, tier, {
    metadata: { name: "p" },
    spec: { subject: everywhere, ...spec },
  });

/** Rules for IPv4, without the names of sets, which are hashes. */
const rules = (
  spec: Partial<ClusterPolicy["spec"]>,
  direction: "ingress" | "egress",
  kind = cluster,
) =>
  policyRules(policyOf(spec, kind), direction)
    .rules.filter((rule) => !rule.includes("ip6"))
    .map((rule) => rule.replaceAll(/@(peers|ports)4-[0-9a-f]+/g, "@$1"));

const peer = { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "x" } } } };
const to = [{ networks: ["10.0.0.0/31"] }];
const network = "ct reply ip saddr { 10.0.0.0-10.0.0.1 }";

for (const { name, rule, expected, problems = 0 } of [
  { name: "Accept", rule: { action: "Accept", to }, expected: [`${network} goto to-pod`] },
  { name: "Deny", rule: { action: "Deny", to }, expected: [`${network} goto deny-egress`] },
  { name: "Pass", rule: { action: "Pass", to }, expected: [`${network} return`] },
  {
    name: "Pods",
    rule: { action: "Deny", to: [peer] },
    expected: ["ct reply ip saddr @peers goto deny-egress"],
  },
  {
    name: "Nodes",
    rule: { action: "Deny", to: [{ nodes: {} }] },
    expected: ["ct reply ip saddr @peers goto deny-egress"],
  },
  {
    name: "protocols",
    rule: {
      action: "Deny",
      to,
      protocols: [
        { tcp: { destinationPort: { number: 80 } } },
        { udp: { destinationPort: { range: { start: 5, end: 9 } } } },
        { sctp: {} },
      ],
    },
    expected: ["tcp ct reply proto-src 80", "udp ct reply proto-src 5-9", "sctp"].map(
      (port) => `${network} meta l4proto ${port} goto deny-egress`,
    ),
  },
  {
    name: "a named port has any protocol",
    rule: { action: "Deny", to, protocols: [{ destinationNamedPort: "web" }] },
    expected: ["tcp", "udp", "sctp"].map(
      (protocol) =>
        `${network} meta l4proto ${protocol} ct reply ip saddr . ct reply proto-src @ports goto deny-egress`,
    ),
  },
  {
    name: "Accept of domain names accepts nothing",
    rule: { action: "Accept", to: [{ domainNames: ["example.com"] }] },
    expected: [],
    problems: 1,
  },
  {
    name: "Deny of something unknown denies everything",
    rule: { action: "Deny", to: [{ planets: {} }] as never },
    expected: ["goto deny-egress"],
    problems: 1,
  },
  {
    name: "an unknown action denies everything",
    rule: { action: "Log", to },
    expected: ["goto deny-egress"],
    problems: 1,
  },
  {
    name: "an unknown protocol of Accept accepts nothing",
    rule: { action: "Accept", to, protocols: [{ quic: {} }] as never },
    expected: [],
    problems: 1,
  },
]) {
  test(`clusterPolicyOf(): ${name}`, () => {
    const spec = { tier: "Admin", egress: [rule] };
    assert.deepEqual(rules(spec, "egress"), expected);
    assert.equal(policyOf(spec).problems.length, problems);
  });
}

test("clusterPolicyOf() of AdminNetworkPolicy and BaselineAdminNetworkPolicy", () => {
  const ingress = [
    {
      action: "Allow",
      from: [{ namespaces: {} }],
      ports: [
        { portNumber: { protocol: "UDP" as const, port: 53 } },
        { portRange: { start: 1, end: 2 } },
      ],
    },
  ];
  assert.deepEqual(rules({ ingress }, "ingress", admin), [
    "ct original ip saddr @peers meta l4proto udp ct reply proto-src 53 accept",
    "ct original ip saddr @peers meta l4proto tcp ct reply proto-src 1-2 accept",
  ]);
  assert.equal(policyOf({ ingress }, admin).tier, "Admin");
  assert.equal(policyOf({ ingress }, baseline).tier, "Baseline");
  assert.equal(policyOf({ ingress }, admin).egress, undefined);
});

test("clusterPolicyOf() of a subject that can't be read selects nothing, and says so", () => {
  const subject = { namespaces: { matchExpressions: [{ key: "a", operator: "Near" }] } };
  const { subject: found, problems } = policyOf({ subject });
  assert.equal(found.selector.matches({}) && found.namespaces?.matches({ a: "b" }), false);
  assert.equal(problems.length, 1);
});
