import assert from "node:assert/strict";
import { test } from "node:test";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";

const program = `import { machineIps } from ${JSON.stringify(import.meta.resolve("./machine-ips.ts"))};
  console.log(JSON.stringify(machineIps()));`;

test("machineIps() finds addresses of links without a carrier, and no others", {
  skip: !mayMakeNamespaces && "needs root",
}, async () => {
  await using inside = await NetworkNamespace.create();
  await inside.sh(`
      ip link add eth0 type veth peer name eth1
      ip addr add 192.0.2.1/24 dev eth0
      ip addr add 192.0.2.9/24 dev eth0
      ip addr add 2001:db8::1/64 dev eth0 nodad
      ip link set eth0 up
      ip route add 198.51.100.7/32 via 192.0.2.2
    `);
  const args = ["--input-type=module", "-e", program];
  const ips = JSON.parse(await inside.run(process.execPath, args)) as string[];
  const own = ips.filter((ip) => /^(192|198|2001)/.test(ip));
  assert.deepEqual(own.sort(), ["192.0.2.1", "192.0.2.9", "2001:db8::1"]);
});
