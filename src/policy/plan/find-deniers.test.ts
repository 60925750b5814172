import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterPolicyKinds, clusterPolicyOf } from "../model/cluster-policies.ts";
import { networkPolicyOf } from "../model/network-policy.ts";
import type { Policy } from "../model/policy.ts";
import { findDeniers } from "./find-deniers.ts";

const [kind] = clusterPolicyKinds;
assert.ok(kind);
const { resource, tier: own } = kind;

const network = (name: string, cidr?: string): Policy =>
  networkPolicyOf({
    metadata: { namespace: "a", name },
    spec: {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: cidr === undefined ? [] : [{ to: [{ ipBlock: { cidr } }], ports: [{ port: 80 }] }],
    },
  });

const cluster = (tier: string, action: string, name = action, priority = 0): Policy =>
  clusterPolicyOf(resource, own, {
    metadata: { name },
    spec: {
      tier,
      priority,
      subject: { namespaces: {} },
      egress: [{ action, to: [{ networks: ["10.0.0.0/8"] }] }],
    },
  });

const attempt = {
  direction: "egress" as const,
  peer: "10.0.0.1",
  protocol: "TCP" as const,
  port: 80,
  namedPorts: [],
};

for (const { name, policies, more = {}, deniers } of [
  { name: "nothing", policies: [], deniers: [] },
  { name: "no rule", policies: [network("x"), network("y")], deniers: ["x", "y"] },
  { name: "one rule allows it", policies: [network("x"), network("y", "10.0.0.0/8")], deniers: [] },
  {
    name: "another port",
    policies: [network("y", "10.0.0.0/8")],
    more: { port: 81 },
    deniers: ["y"],
  },
  {
    name: "the other direction",
    policies: [network("x")],
    more: { direction: "ingress" as const },
    deniers: [],
  },
  {
    name: "an administrator denies",
    policies: [network("y", "10.0.0.0/8"), cluster("Admin", "Deny")],
    deniers: ["Deny"],
  },
  {
    name: "an administrator accepts",
    policies: [network("x"), cluster("Admin", "Accept")],
    deniers: [],
  },
  {
    name: "an administrator passes",
    policies: [network("x"), cluster("Admin", "Pass")],
    deniers: ["x"],
  },
  {
    name: "the lower priority decides",
    policies: [cluster("Admin", "Deny", "late", 2), cluster("Admin", "Pass", "early", 1)],
    deniers: [],
  },
  { name: "the baseline denies", policies: [cluster("Baseline", "Deny")], deniers: ["Deny"] },
  {
    name: "the baseline is not asked where a NetworkPolicy is",
    policies: [network("y", "10.0.0.0/8"), cluster("Baseline", "Deny")],
    deniers: [],
  },
  {
    name: "another address",
    policies: [cluster("Baseline", "Deny")],
    more: { peer: "11.0.0.1" },
    deniers: [],
  },
]) {
  test(`findDeniers(): ${name}`, () => {
    const found = findDeniers(policies, { ...attempt, ...more }, () => false);
    assert.deepEqual(
      found.map(({ source }) => source.name),
      deniers,
    );
  });
}
