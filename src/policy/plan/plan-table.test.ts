import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkPolicy } from "#/api/networking/v1.ts";
import { networkPolicyOf } from "../model/network-policy.ts";
import type { Policy } from "../model/policy.ts";
import { type Member, MemberIndex } from "./member-index.ts";
import { TablePlanner } from "./plan-table.ts";
import { policyRules } from "./policy-rules.ts";
import type { TablePlan } from "./table-plan.ts";

const policy = (spec: Partial<NetworkPolicy["spec"]>, name = "p"): Policy =>
  networkPolicyOf({ metadata: { namespace: "a", name }, spec: { podSelector: {}, ...spec } });

/** Rules without the names of sets, which are hashes. */
const rules = (given: Policy, direction: "ingress" | "egress"): string[] =>
  policyRules(given, direction).rules.map((rule) =>
    rule.replaceAll(/@(peers|ports|services)([46])-[0-9a-f]+/g, "@$1$2"),
  );

const pods = [{ podSelector: {} }];
const dns = [{ namespaceSelector: {}, podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }];
const block = (cidr: string, ...except: string[]) => [{ ipBlock: { cidr, except } }];

for (const { name, spec, ingress, egress } of [
  { name: "nothing is allowed", spec: { policyTypes: ["Ingress" as const] }, ingress: [] },
  { name: "everything is allowed", spec: { ingress: [{}] }, ingress: ["accept"] },
  {
    name: "Pods",
    spec: { ingress: [{ from: pods }] },
    ingress: ["ct original ip saddr @peers4 accept", "ct original ip6 saddr @peers6 accept"],
  },
  {
    name: "networks of both families",
    spec: { ingress: [{ from: [...block("10.0.0.0/31"), ...block("::/0")] }] },
    ingress: ["ct original ip saddr { 10.0.0.0-10.0.0.1 } accept", "meta nfproto ipv6 accept"],
  },
  {
    name: "a network that excludes itself",
    spec: { ingress: [{ from: block("10.0.0.0/8", "10.0.0.0/8") }] },
    ingress: [],
  },
  {
    name: "ports that overlap, a range and a whole protocol",
    spec: {
      ingress: [
        {
          ports: [
            { port: 80 },
            { port: 70, endPort: 85 },
            { port: 100, protocol: "UDP" as const },
            { protocol: "SCTP" as const },
            { port: 1, protocol: "SCTP" as const },
          ],
        },
      ],
    },
    ingress: [
      "meta l4proto tcp ct reply proto-src 70-85 accept",
      "meta l4proto udp ct reply proto-src 100 accept",
      "meta l4proto sctp accept",
    ],
  },
  {
    name: "a named port of the selected Pods",
    spec: { ingress: [{ from: block("10.0.0.1/32"), ports: [{ port: "web" }] }] },
    ingress: [
      "ct original ip saddr { 10.0.0.1 } meta l4proto tcp ct reply ip saddr . ct reply proto-src @ports4 accept",
    ],
  },
  {
    name: "egress goes on to the ingress of the other Pod",
    spec: { policyTypes: ["Egress" as const], egress: [{ to: block("10.0.0.1/32") }] },
    egress: ["ct reply ip saddr { 10.0.0.1 } goto to-pod"],
  },
  {
    name: "the cluster's DNS, which nodes have, only at its ports",
    spec: {
      policyTypes: ["Egress" as const],
      egress: [{ to: dns, ports: [{ port: 53, protocol: "UDP" as const }] }],
    },
    egress: [4, 6].flatMap((family) => {
      const address = `ct reply ip${family === 4 ? "" : "6"} saddr`;
      const udp = "meta l4proto udp ct reply proto-src 53 goto to-pod";
      return [
        `${address} @peers${family} ${udp}`,
        `meta l4proto udp ${address} . ct reply proto-src @services${family} ${udp}`,
      ];
    }),
  },
  {
    name: "a named port of the Pods that are connected to",
    spec: { policyTypes: ["Egress" as const], egress: [{ to: pods, ports: [{ port: "web" }] }] },
    egress: [4, 6].map((family) => {
      const address = `ct reply ip${family === 4 ? "" : "6"} saddr`;
      return `${address} @peers${family} meta l4proto tcp ${address} . ct reply proto-src @ports${family} goto to-pod`;
    }),
  },
]) {
  test(`policyRules(): ${name}`, () => {
    if (ingress) assert.deepEqual(rules(policy(spec), "ingress"), ingress);
    if (egress) assert.deepEqual(rules(policy(spec), "egress"), egress);
  });
}

for (const { spec, directions } of [
  { spec: {}, directions: ["ingress"] },
  { spec: { egress: [] }, directions: ["ingress"] },
  { spec: { egress: [{}] }, directions: ["ingress", "egress"] },
  { spec: { policyTypes: ["Egress" as const] }, directions: ["egress"] },
  { spec: { policyTypes: ["Egress" as const], ingress: [{}] }, directions: ["egress"] },
]) {
  test(`networkPolicyOf(${JSON.stringify(spec)}) is about ${directions}`, () => {
    const found = policy(spec);
    const about = (["ingress", "egress"] as const).filter((one) => found[one] !== undefined);
    assert.deepEqual(about, directions);
  });
}

const member = (name: string, ip: string, more: Partial<Member> = {}): Member => ({
  key: `pods/a/${name}`,
  of: "pods",
  namespace: "a",
  name,
  labels: { app: name },
  ips: [ip],
  ports: [],
  age: name,
  ...more,
});

function planned(...members: Member[]) {
  const index = new MemberIndex();
  index.setNamespace("a", {});
  const planner = new TablePlanner(index);
  for (const one of members) index.set(one);
  const plan = (...local: string[]): TablePlan => {
    const localPods = local.map((name) => {
      const key = `pods/a/${name}`;
      return { key, ips: index.get(key)?.ips ?? [] };
    });
    return planner.plan({ podCidrs: ["10.0.0.0/24"], localPods });
  };
  return { index, planner, plan };
}

const elements = (plan: TablePlan, set: string): string[] =>
  [...(plan.sets.get(set)?.elements.keys() ?? [])].sort();

const peers = (plan: TablePlan): string[] =>
  [...plan.sets]
    .filter(([name]) => name.startsWith("peers4"))
    .flatMap(([name]) => elements(plan, name));

const onlyWeb = { podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Ingress" as const] };

test("TablePlanner has chains and sets for policies of this node's Pods only", () => {
  const { planner, plan } = planned(member("web", "10.0.0.2"), member("other", "10.0.1.2"));
  planner.setPolicies([policy({ ...onlyWeb, ingress: [{ from: pods }] })]);
  const here = plan("web");
  assert.deepEqual(elements(here, "ingress4"), ["10.0.0.2"]);
  assert.deepEqual(elements(here, "egress4"), []);
  assert.deepEqual(elements(here, "known4"), ["10.0.0.2"]);
  assert.deepEqual(peers(here), ["10.0.0.2", "10.0.1.2"]);
  const there = plan("other");
  assert.deepEqual(elements(there, "ingress4"), []);
  assert.deepEqual(peers(there), []);
  assert.deepEqual(elements(there, "known4"), ["10.0.1.2"]);
});

test("TablePlanner has the addresses of the cluster's DNS with its ports only", () => {
  const { planner, plan } = planned(
    member("web", "10.0.0.2"),
    member("dns", "10.0.0.1", {
      labels: { "k8s-app": "kube-dns" },
      isService: true,
      ports: [{ name: "dns", protocol: "UDP", port: 53 }],
    }),
  );
  const egress = [{ to: [{ namespaceSelector: {} }] }];
  planner.setPolicies([policy({ policyTypes: ["Egress"], egress })]);
  const found = plan("web");
  assert.deepEqual(peers(found), ["10.0.0.2"]);
  const services = [...found.sets.keys()].filter((name) => name.startsWith("services4"));
  assert.deepEqual(
    services.flatMap((name) => elements(found, name)),
    ["10.0.0.1 . 53"],
  );
});

test("TablePlanner shares the chains of Pods with the same policies", () => {
  const { planner, plan } = planned(member("x", "10.0.0.2"), member("y", "10.0.0.3"));
  planner.setPolicies([
    policy({}, "one"),
    policy({ podSelector: { matchLabels: { app: "y" } } }, "two"),
  ]);
  const { sets, chains } = plan("x", "y");
  const entry = (ip: string): string[] => {
    const chain = (sets.get("ingress4")?.elements.get(ip) ?? "").replace("goto ", "");
    return (chains.get(chain)?.rules ?? []).filter((rule) => /^(jump|goto)/.test(rule));
  };
  assert.deepEqual(
    entry("10.0.0.3").map((rule) => rule.replace(/-[0-9a-f]{15}-/, "-")),
    ["jump ingress-NetworkPolicy/a/one", "jump ingress-NetworkPolicy/a/two", "goto deny-ingress"],
  );
  assert.equal(entry("10.0.0.2").length, 2);
});

test("TablePlanner keeps sets that did not change, and follows those that did", () => {
  const { index, planner, plan } = planned(member("web", "10.0.0.2"));
  const from = [{ podSelector: { matchLabels: { app: "client" } } }];
  planner.setPolicies([policy({ ...onlyWeb, ingress: [{ from }] })]);
  const first = plan("web");
  index.set(member("unrelated", "10.0.1.9"));
  const second = plan("web");
  const [name = ""] = [...first.sets.keys()].filter((one) => one.startsWith("peers4"));
  assert.equal(second.sets.get(name), first.sets.get(name));
  index.set(member("client", "10.0.1.2"));
  assert.deepEqual(peers(plan("web")), ["10.0.1.2"]);
  index.set(member("younger", "10.0.1.2"));
  assert.deepEqual(peers(plan("web")), [], "its address belongs to another Pod now");
});
