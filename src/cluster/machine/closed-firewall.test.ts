import assert from "node:assert/strict";
import { test } from "node:test";
import { firewallHints, namespaceHints } from "./firewall-hints.ts";

const chain = (family: string, table: string, name: string, hook: string, policy: string) => ({
  chain: { family, table, name, hook, policy },
});
const ports = ["6443/tcp", "8472/udp"];
const closedInput = (...chains: string[]): string =>
  `  firewall   INPUT is closed (${chains.join(", ")}): open 6443/tcp, 8472/udp for other nodes`;
const dropsPods = (name: string): string =>
  `  firewall   ${name} drops packets of Pods: nft insert rule ${name} iifname cni0 accept`;

const cases = [
  {
    name: "an open one has none",
    chains: [chain("ip", "filter", "INPUT", "input", "accept")],
    input: "-P INPUT ACCEPT\n",
    hints: [],
  },
  {
    name: "ufw closes INPUT; FORWARD is opened for Pods",
    chains: [
      chain("ip", "filter", "INPUT", "input", "drop"),
      chain("ip", "filter", "FORWARD", "forward", "drop"),
    ],
    input: "-P INPUT DROP\n",
    hints: [closedInput("ip filter INPUT")],
  },
  {
    name: "iptables-legacy is seen by its own program",
    chains: [],
    input: "-P INPUT DROP\n",
    hints: [closedInput("ip filter INPUT")],
  },
  {
    name: "firewalld rejects by a rule, and trusts Pods",
    chains: [chain("inet", "firewalld", "filter_INPUT", "input", "accept")],
    input: "",
    hints: [closedInput("inet firewalld filter_INPUT")],
  },
  {
    name: "a ruleset of an administrator's own must let Pods through",
    chains: [
      chain("inet", "filter", "input", "input", "drop"),
      chain("inet", "filter", "forward", "forward", "drop"),
    ],
    input: "",
    hints: [
      closedInput("inet filter input"),
      dropsPods("inet filter input"),
      dropsPods("inet filter forward"),
    ],
  },
];

for (const { name, chains, input, hints } of cases) {
  test(`firewallHints(): ${name}`, () => {
    assert.deepEqual(firewallHints({ chains: { nftables: chains }, input }, ports), hints);
  });
}

test("namespaceHints(): only a chain that no program of ours can open is named", () => {
  const chains = [
    chain("ip", "filter", "FORWARD", "forward", "drop"),
    chain("inet", "filter", "input", "input", "drop"),
    chain("inet", "filter", "forward", "forward", "drop"),
  ];
  assert.deepEqual(namespaceHints({ chains: { nftables: chains }, input: "" }, "k8ts0"), [
    dropsPods("inet filter forward").replace("cni0", "k8ts0"),
  ]);
});
