import assert from "node:assert/strict";
import { test } from "node:test";
import { expandAddressWords, nodePortAddresses, servingIps } from "./node-port-addresses.ts";

const ips = { IPv4: "192.0.2.1", IPv6: "2001:db8::1" };

for (const [given, expected] of [
  [["primary"], ["192.0.2.1/32", "2001:db8::1/128"]],
  [["localhost"], ["127.0.0.0/8", "::1/128"]],
  [["all"], ["0.0.0.0/0", "::/0"]],
  [["10.0.0.0/8"], ["10.0.0.0/8"]],
] as const) {
  test(`expandAddressWords() knows ${given}`, () => {
    assert.deepEqual(expandAddressWords(given, ips), expected);
  });
}

test("nodePortAddresses() means all addresses for a family that isn't named", () => {
  const { all } = nodePortAddresses("IPv6", ["192.0.2.0/24"]);
  assert.equal(all, true);
  assert.equal(nodePortAddresses("IPv4", []).containsIpv4Loopback, true);
  assert.equal(nodePortAddresses("IPv4", ["192.0.2.0/24"]).containsIpv4Loopback, false);
});

test("servingIps() picks the machine's addresses", () => {
  const addresses = nodePortAddresses("IPv4", ["192.0.2.0/24"]);
  const machine = ["127.0.0.1", "192.0.2.7", "10.0.0.1", "2001:db8::1"];
  assert.deepEqual(servingIps("IPv4", addresses, machine), ["192.0.2.7"]);
});
