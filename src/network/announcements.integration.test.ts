import assert from "node:assert/strict";
import { test } from "node:test";
import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { serviceCIDRs } from "#/api/networking/v1.ts";
import { Informers } from "#/client/informers/informers.ts";
import { logger } from "#/std/log/log.ts";
import { systemClock } from "#/std/time/clock.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { keepAnnouncements, removeAnnouncements } from "./announcements.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const addresses = ["192.168.7.241", "fd07::f1"];
const ref = { name: "web", namespace: "default" };

/** A machine, and a node on the same link with a route of the pool to its bridge, as PodNetwork makes it. */
async function connect(machine: NetworkNamespace, node: NetworkNamespace): Promise<void> {
  await machine.sh(`
    ip link add eth0 type veth peer name eth0 netns ${node.name}
    ip addr add 192.168.7.2/24 dev eth0; ip addr add fd07::2/64 dev eth0 nodad; ip link set eth0 up
  `);
  await node.sh(`
    ip addr add 192.168.7.1/24 dev eth0; ip addr add fd07::1/64 dev eth0 nodad; ip link set eth0 up
    ip link add cni0 type bridge; ip link set cni0 up
    ip route add 192.168.7.240/28 dev cni0; ip -6 route add fd07::f0/124 dev cni0
    echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
  `);
}

/** The hardware address that a machine learns for an address; undefined if no machine answers. */
async function learn(machine: NetworkNamespace, address: string): Promise<string | undefined> {
  await machine.sh(`ip neigh flush to ${address}`);
  const send = `require("node:dgram").createSocket("udp${address.includes(":") ? 6 : 4}").send("x", 9, "${address}", () => process.exit())`;
  await machine.run(process.execPath, ["-e", send]);
  let found: string | undefined;
  await until("the address is resolved or not", async () => {
    const text = await machine.sh(`ip neigh show to ${address}`);
    found = / lladdr (\S+)/.exec(text)?.[1];
    return found !== undefined || text.includes("FAILED");
  });
  return found;
}

test(
  "keepAnnouncements() answers ARP and NDP for load balancers until they go",
  options,
  async () => {
    await using machine = await NetworkNamespace.create();
    await using node = await NetworkNamespace.create();
    await connect(machine, node);
    await using api = await startApiServer();
    const client = api.client();
    const network = { metadata: { name: "kubernetes" }, spec: { cidrs: ["10.0.0.0/24"] } };
    await client.create(serviceCIDRs, network);
    const self: Node = { metadata: { name: "n1" }, spec: {} };
    await client.create(nodes, self);
    const conditions = [{ type: "Ready", status: "True" as const }];
    await client.patch(
      nodes,
      { name: "n1" },
      { status: { conditions } },
      { subresource: "status", type: "merge" },
    );
    const web: Service = {
      metadata: ref,
      spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
    };
    await client.create(services, web);
    const stop = new AbortController();
    const informers = new Informers(client, stop.signal);
    const keeping = keepAnnouncements(
      {
        informers,
        nodeName: "n1",
        bridge: "cni0",
        balancerCidrs: ["192.168.7.240/28", "fd07::f0/124"],
        run: node.run,
        setKernelValue: (path, value) => node.sh(`echo ${value} > /proc/sys/${path}`),
        clock: systemClock,
        log: logger("test"),
      },
      stop.signal,
    );
    const proxied = () => node.sh("ip -4 neigh show proxy; ip -6 neigh show proxy");
    const setAddresses = async (ips: readonly string[]) => {
      const status = {
        loadBalancer: { ingress: ips.map((ip) => ({ ip, ipMode: "VIP" as const })) },
      };
      await client.patch(services, ref, { status }, { subresource: "status", type: "merge" });
      await until("it is announced", async () => {
        const text = await proxied();
        return addresses.every((ip) => text.includes(ip) === ips.includes(ip));
      });
    };
    const link = await node.sh("ip -o link show dev eth0");
    const own = / link\/ether (\S+)/.exec(link)?.[1];
    for (const ip of addresses) assert.equal(await learn(machine, ip), undefined);
    await setAddresses(addresses);
    for (const ip of addresses) assert.equal(await learn(machine, ip), own);
    await setAddresses(["192.168.7.241"]);
    assert.equal(await learn(machine, "192.168.7.241"), own);
    assert.equal(await learn(machine, "fd07::f1"), undefined);
    await node.sh("ip neigh add proxy 192.168.7.99 dev eth0");
    stop.abort();
    await keeping;
    await removeAnnouncements(node.run);
    assert.match(await proxied(), /^192\.168\.7\.99 dev eth0 +proxy *$/m);
    assert.doesNotMatch(await proxied(), /192\.168\.7\.241/);
  },
);
