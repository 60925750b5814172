import assert from "node:assert/strict";
import { systemClock } from "#/std/time/clock.ts";
import type { Checks } from "../check.ts";
import {
  apply,
  field,
  image,
  imageFile,
  k8ts,
  kubectl,
  pod,
  remove,
  trafficWorks,
  until,
  waitFor,
} from "../cluster.ts";
import type { Machine } from "../machine.ts";
import { ownAddress } from "./address.ts";

/** The machine joins as a node, with the image present. */
async function join(server: Machine, other: Machine): Promise<string> {
  const command = (await server.run(`${k8ts} token create`)).trim().replace(/^\S+/, k8ts);
  await other.run(command, { timeoutMs: 600_000 });
  await other.run(`${k8ts} image load ${imageFile}`);
  const name = (await other.run("hostname")).trim();
  await waitFor(server, "condition=Ready", `node/${name}`);
  return name;
}

/** A web server and a client on the other node: every path between nodes. */
async function acrossNodes(server: Machine, node: string): Promise<void> {
  await kubectl(server, "scale deployment/web --replicas=4");
  await apply(server, pod("far-client", { spec: { nodeName: node } }));
  await waitFor(server, "condition=Available", "deployment/web");
  await waitFor(server, "condition=Ready", "pod/far-client");
  const nodes = await field(server, "pods -l app=web", ".items[*].spec.nodeName");
  assert.ok(new Set(nodes.split(" ")).size === 2, `web servers are on ${nodes}`);
  await trafficWorks(server);
  assert.equal(await kubectl(server, "exec far-client -- echo heard"), "heard\n");
  await bulk(server);
}

/** 3 MB from one node's Pod to another's: larger than any packet. A server ends the connection when its input ends. */
async function bulk(server: Machine): Promise<void> {
  const address = await field(server, "pod/far-client", ".status.podIP");
  await kubectl(
    server,
    "exec far-client -- sh -c 'rm -f /tmp/got; (sleep 60 | nc -l -p 99 >/tmp/got &) >/dev/null 2>&1'",
  );
  await kubectl(
    server,
    `exec client -- sh -c 'head -c 3000000 /dev/zero | nc -w 10 ${address} 99'`,
  );
  await until("3 MB", async () => {
    const size = await kubectl(server, "exec far-client -- sh -c 'wc -c </tmp/got'");
    return size.trim() === "3000000";
  });
}

async function leave(server: Machine, other: Machine, node: string): Promise<void> {
  await remove(server, "pod/far-client");
  await kubectl(server, "scale deployment/web --replicas=2");
  await other.run(`${k8ts} down --purge`);
  await remove(server, `node/${node}`);
  await waitFor(server, "condition=Available", "deployment/web");
}

/** Addresses of both as /32: the machines have no network in common, hence no routes to each other's Pods. */
async function hostAddress(machine: Machine, peer: string): Promise<void> {
  const { link, address } = await ownAddress(machine);
  await machine.run(`ip address add ${address}/32 dev ${link}; ip address del ${address}/24 dev ${link}
    gateway=${address.replace(/\d+$/, "1")}; ip route replace $gateway dev ${link} src ${address}; ip route replace default via $gateway dev ${link} src ${address} onlink; ip route replace ${peer} dev ${link} src ${address}`);
}

const transport = async (server: Machine): Promise<string> =>
  (await server.run("ip -4 route show | grep '^10\\.244\\.[1-9]' | head -n 1")).trim();

/** Two machines as two nodes. */
export const nodeChecks: Checks = [
  {
    name: "two machines: join, Pods and Services across nodes by routes",
    machines: 2,
    async run(server, other) {
      const node = await join(server, other);
      await acrossNodes(server, node);
      assert.doesNotMatch(await transport(server), /vxlan/);
      return undefined;
    },
  },
  {
    name: "two machines: routes return after a restart of systemd-networkd",
    machines: 2,
    async run(server) {
      await server.run("systemctl restart systemd-networkd");
      const began = systemClock.monotonicMs();
      await until("the route", async () => (await transport(server)) !== "", 30_000);
      await trafficWorks(server);
      return `after ${((systemClock.monotonicMs() - began) / 1000).toFixed(1)} s`;
    },
  },
  {
    name: "two machines: reboot of the joined node",
    machines: 2,
    async run(server, other) {
      await other.restart();
      const name = (await other.run("hostname")).trim();
      await until("the node's Pods", async () => {
        await waitFor(server, "condition=Ready", `node/${name} pod/far-client`);
        await waitFor(server, "condition=Available", "deployment/web");
        return true;
      });
      await trafficWorks(server);
      return undefined;
    },
  },
  {
    name: "two machines: FORWARD DROP on both",
    machines: 2,
    async run(server, other) {
      for (const machine of [server, other]) await machine.run("iptables -P FORWARD DROP");
      const seconds = await trafficWorks(server);
      for (const machine of [server, other]) await machine.run("iptables -P FORWARD ACCEPT");
      return `all ways work after ${seconds} s`;
    },
  },
  {
    name: "two machines: the joined node leaves with down --purge",
    machines: 2,
    async run(server, other) {
      await leave(server, other, (await other.run("hostname")).trim());
      return undefined;
    },
  },
  {
    name: "two machines with /32 addresses: Pods across nodes by VXLAN",
    machines: 2,
    async run(server, other) {
      const here = await ownAddress(server);
      const there = await ownAddress(other);
      await hostAddress(server, there.address);
      await hostAddress(other, here.address);
      try {
        await server.run("systemctl restart k8ts-agent");
        const node = await join(server, other);
        await acrossNodes(server, node);
        assert.match(await transport(server), /vxlan/);
        assert.equal(await field(server, "pod/far-client", ".spec.containers[0].image"), image);
        await leave(server, other, node);
      } finally {
        for (const machine of [server, other]) await machine.restart();
      }
      await trafficWorks(server);
      return undefined;
    },
  },
];
