import assert from "node:assert/strict";
import { endianness } from "node:os";
import { test } from "node:test";
import { ipv4Routes, ipv6Routes } from "./proc-routes.ts";

const options = { skip: endianness() !== "LE" && "the sample is of a little-endian machine" };

test("ipv4Routes() reads /proc/net/route", options, () => {
  const text = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	FE07A8C0	0003	0	0	0	00000000	0	0	0
cni0	0001F40A	00000000	0001	0	0	0	00FFFFFF	0	0	0
k8ts-vxlan1	0002F40A	0002F40A	0003	0	0	0	00FFFFFF	0	0	0
`;
  assert.deepEqual(ipv4Routes(text), [
    { destination: "0.0.0.0/0", via: "192.168.7.254", device: "eth0" },
    { destination: "10.244.1.0/24", via: undefined, device: "cni0" },
    { destination: "10.244.2.0/24", via: "10.244.2.0", device: "k8ts-vxlan1" },
  ]);
  assert.deepEqual(ipv4Routes("Iface\tDestination\n"), []);
});

test("ipv6Routes() reads /proc/net/ipv6_route", () => {
  const zero = "0".repeat(32);
  const text = `fd000244000100000000000000000000 40 ${zero} 00 ${zero} 00000100 00000001 00000000 00000001     cni0
fd000244000200000000000000000000 40 ${zero} 00 fd000007000000000000000000000002 00000400 00000001 00000000 00000003     eth0
`;
  assert.deepEqual(ipv6Routes(text), [
    { destination: "fd00:244:1::/64", via: undefined, device: "cni0" },
    { destination: "fd00:244:2::/64", via: "fd00:7::2", device: "eth0" },
  ]);
  assert.deepEqual(ipv6Routes(""), []);
});
