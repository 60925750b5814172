import assert from "node:assert/strict";
import { test } from "node:test";
import { instanceOf, interfaceOf } from "#/testing/ec2-instances.ts";
import { computeNodeAddresses } from "./node-addresses.ts";

const instance = instanceOf({
  ipAddress: "54.1.2.3",
  privateDnsName: "ip-10-0-0-1.internal",
  dnsName: "ec2-54-1-2-3.example",
  networkInterfaceSet: [
    interfaceOf({ deviceIndex: 1, ipv4: ["10.0.1.1"], ipv6: ["2001:db8::2"] }),
    interfaceOf({ ipv4: ["10.0.9.9"], ipv6: [] }),
    interfaceOf({
      deviceIndex: 0,
      ipv4: ["10.0.0.1", "010.000.000.002"],
      ipv6: ["2001:DB8::1", "2001:db8::9"],
    }),
    interfaceOf({ deviceIndex: 2, ipv4: ["10.0.2.1"], ipv6: [], status: "available" }),
  ],
});

const ipv4 = [
  "InternalIP 10.0.0.1",
  "InternalIP 10.0.0.2",
  "InternalIP 10.0.1.1",
  "InternalIP 10.0.9.9",
  "ExternalIP 54.1.2.3",
  "InternalDNS ip-10-0-0-1.internal",
  "Hostname ip-10-0-0-1.internal",
  "ExternalDNS ec2-54-1-2-3.example",
];
const ipv6 = ["InternalIP 2001:db8::1", "InternalIP 2001:db8::2"];

const cases = [
  { families: ["ipv4"], addresses: ipv4 },
  { families: ["ipv6"], addresses: ipv6 },
  { families: ["ipv4", "ipv6"], addresses: [...ipv4, ...ipv6] },
  { families: ["ipv6", "ipv4"], addresses: [...ipv6, ...ipv4] },
  { families: ["ipv5"], addresses: [] },
];

for (const { families, addresses } of cases) {
  test(`computeNodeAddresses() gives those of ${families.join(", ")} in this order`, () => {
    const found = computeNodeAddresses(instance, families);
    assert.deepEqual(
      found.map(({ type, address }) => `${type} ${address}`),
      addresses,
    );
  });
}

const bad = [
  {
    name: "private",
    change: { networkInterfaceSet: [interfaceOf({ deviceIndex: 0, ipv4: ["x"], ipv6: [] })] },
    message: 'EC2 instance had invalid private address: i-1 ("x")',
  },
  {
    name: "public",
    change: { ipAddress: "y" },
    message: "EC2 instance had invalid public address: i-1 (y)",
  },
  {
    name: "IPv6",
    change: { networkInterfaceSet: [interfaceOf({ deviceIndex: 0, ipv4: [], ipv6: ["z"] })] },
    message: 'EC2 instance had invalid IPv6 address: i-1 ("z")',
  },
];

for (const { name, change, message } of bad) {
  test(`computeNodeAddresses() refuses a malformed ${name} address`, () => {
    const families = ["ipv4", "ipv6"];
    assert.throws(() => computeNodeAddresses({ ...instanceOf({}), ...change }, families), {
      message,
    });
  });
}
