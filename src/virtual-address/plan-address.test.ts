import assert from "node:assert/strict";
import { test } from "node:test";
import { holdersOf, type ListedLink, planAddress } from "./plan-address.ts";

const link = (ifname: string, ...cidrs: string[]): ListedLink => ({
  ifname,
  addr_info: cidrs.map((cidr) => {
    const [local = "", length] = cidr.split("/");
    return { local, prefixlen: Number(length) };
  }),
});
const lo = link("lo", "127.0.0.1/8", "::1/128");
const eth0 = link("eth0", "192.0.2.11/24", "2001:db8::11/64", "fe80::1/64");

const cases: readonly (readonly [string, string, readonly ListedLink[], object | undefined])[] = [
  [
    "of its network",
    "192.0.2.100",
    [lo, eth0],
    {
      device: "eth0",
      family: 4,
      cidr: "192.0.2.100/32",
      neighbours: ["192.0.2.254", "192.0.2.253", "192.0.2.1", "192.0.2.2"],
    },
  ],
  [
    "that has it already",
    "192.0.2.100",
    [link("eth1", "192.0.2.100/32"), eth0],
    { device: "eth0" },
  ],
  ["of IPv6", "2001:db8::100", [eth0], { device: "eth0", family: 6, cidr: "2001:db8::100/128" }],
  ["of another network", "198.51.100.1", [lo, eth0], undefined],
  ["no address", "example.org", [eth0], undefined],
];
for (const [name, address, links, expected] of cases) {
  test(`planAddress() finds the interface: ${name}`, () => {
    const plan = planAddress(address, links);
    if (expected === undefined) assert.equal(plan, undefined);
    else assert.deepEqual({ ...plan, ...expected }, plan);
  });
}

test("holdersOf() finds an address on any interface", () => {
  const links = [eth0, link("eth1", "192.0.2.100/32")];
  assert.deepEqual(holdersOf("192.0.2.100", links), ["eth1"]);
  assert.deepEqual(holdersOf("192.0.2.101", links), []);
});
