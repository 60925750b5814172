import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "#/api/core/v1.ts";
import { AddressPool } from "./address-pool.ts";
import { planServiceAddresses } from "./plan-addresses.ts";

const pool = new AddressPool(["198.18.0.0/30", "fd00::/126"]);

interface Case {
  readonly claim: string;
  readonly has?: readonly string[];
  readonly requested?: string;
  readonly annotation?: string;
  readonly families?: readonly ("IPv4" | "IPv6")[];
  readonly others?: Readonly<Record<string, readonly string[]>>;
  readonly reserved?: Readonly<Record<string, readonly string[]>>;
  readonly expected: readonly string[] | RegExp;
}

const service = (
  name: string,
  given: Partial<Case> = {},
  created = "2026-01-02T00:00:00Z",
): Service => ({
  metadata: {
    name,
    namespace: "default",
    creationTimestamp: created,
    ...(given.annotation
      ? { annotations: { "k8ts.dev/load-balancer-ips": given.annotation } }
      : {}),
  },
  spec: {
    type: "LoadBalancer",
    ipFamilies: [...(given.families ?? ["IPv4"])],
    ...(given.requested ? { loadBalancerIP: given.requested } : {}),
  },
  status: { loadBalancer: { ingress: (given.has ?? []).map((ip) => ({ ip })) } },
});

const cases: readonly Case[] = [
  { claim: "the same free one each time", expected: ["198.18.0.2"] },
  { claim: "one that is left", others: { b: ["198.18.0.2"] }, expected: ["198.18.0.1"] },
  { claim: "its own", has: ["198.18.0.1"], expected: ["198.18.0.1"] },
  { claim: "its reserved one", reserved: { a: ["198.18.0.1"] }, expected: ["198.18.0.1"] },
  {
    claim: "none that another has reserved",
    reserved: { b: ["198.18.0.2"] },
    expected: ["198.18.0.1"],
  },
  { claim: "another if its own is not in the pool", has: ["192.0.2.1"], expected: ["198.18.0.2"] },
  {
    claim: "another if an older Service has its own",
    has: ["198.18.0.1"],
    others: { older: ["198.18.0.1"] },
    expected: ["198.18.0.2"],
  },
  {
    claim: "its own if a younger Service has it too",
    has: ["198.18.0.1"],
    others: { younger: ["198.18.0.1"] },
    expected: ["198.18.0.1"],
  },
  {
    claim: "the requested one",
    has: ["198.18.0.2"],
    requested: "198.18.0.1",
    expected: ["198.18.0.1"],
  },
  {
    claim: "an error for a requested one of another pool",
    requested: "192.0.2.1",
    expected: /192\.0\.2\.1 is not in the pool 198\.18\.0\.0\/30, fd00::\/126/,
  },
  {
    claim: "an error for a requested one that is taken",
    requested: "198.18.0.1",
    others: { b: ["198.18.0.1"] },
    expected: /is that of Service default\/b/,
  },
  { claim: "an error for a text", annotation: "x", expected: /"x" is not valid/ },
  {
    claim: "an error for a family that it lacks",
    annotation: "fd00::1",
    expected: /family of fd00::1/,
  },
  { claim: "one of each family", families: ["IPv6", "IPv4"], expected: ["fd00::2", "198.18.0.2"] },
  {
    claim: "requested ones of both families",
    families: ["IPv4", "IPv6"],
    annotation: "fd00::1, 198.18.0.1",
    expected: ["198.18.0.1", "fd00::1"],
  },
  {
    claim: "an error if none is left",
    others: { b: ["198.18.0.1"], c: ["198.18.0.2"] },
    expected: /all addresses of the pool 198\.18\.0\.0\/30 are in use/,
  },
];

for (const one of cases) {
  test(`planServiceAddresses() gives ${one.claim}`, () => {
    const others = Object.entries(one.others ?? {}).map(([name, has]) =>
      service(name, { has }, name === "younger" ? "2026-01-03T00:00:00Z" : "2026-01-01T00:00:00Z"),
    );
    const reserved = new Map(
      Object.entries(one.reserved ?? {}).map(([name, has]) => [`default/${name}`, has]),
    );
    const own = service("a", one);
    const plan = () => planServiceAddresses(own, { pool, services: [own, ...others], reserved });
    if (one.expected instanceof RegExp) assert.throws(plan, one.expected);
    else assert.deepEqual(plan(), one.expected);
  });
}

for (const [cidrs, problem] of [
  [["198.18.0.0/24", "198.18.0.128/25"], /overlap/],
  [["198.18.0.1/24"], /bits after its prefix/],
  [["x"], /no network/],
] as const) {
  test(`AddressPool refuses ${cidrs.join(" and ")}`, () => {
    assert.throws(() => new AddressPool(cidrs), problem);
  });
}

test("AddressPool uses all addresses of a network but its first and last", () => {
  const small = new AddressPool(["198.18.0.0/29"]);
  const taken = new Set<string>();
  for (let found: string | undefined = ""; found !== undefined; ) {
    if (found) taken.add(found);
    found = small.findFree("IPv4", "x", (address) => taken.has(address));
  }
  assert.equal(taken.size, 6);
  assert.ok(!taken.has("198.18.0.0") && !taken.has("198.18.0.7"));
});
