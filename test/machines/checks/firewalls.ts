import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { k8ts, trafficWorks, until } from "../cluster.ts";
import type { Machine } from "../machine.ts";

/** Limit of the time of a repair (ms): users would notice a longer one. */
export const repairMs = 60_000;

/** Programs that drop unknown packets: how each is switched on and off. */
export const firewalls = {
  "FORWARD policy DROP": {
    on: "iptables -P FORWARD DROP",
    off: "iptables -P FORWARD ACCEPT",
  },
  Docker: {
    // It does not change the policy where packets are forwarded already.
    on: "systemctl start docker && systemctl is-active docker && iptables -P FORWARD DROP",
    off: "systemctl stop docker docker.socket containerd; iptables -P FORWARD ACCEPT",
  },
  ufw: {
    on: "sed -i s/IPV6=yes/IPV6=no/ /etc/default/ufw && ufw allow 22/tcp && ufw --force enable",
    off: "ufw --force disable",
  },
} as const;

/** Switches a firewall on, checks that all paths work, also after a restart of the agent, and switches it off again. */
async function beside(
  machine: Machine,
  { on, off }: { readonly on: string; readonly off: string },
): Promise<string> {
  try {
    await machine.run(on);
    const seconds = await trafficWorks(machine, repairMs);
    await machine.run("systemctl restart k8ts-agent");
    await trafficWorks(machine);
    return `all ways work after ${seconds} s`;
  } finally {
    await machine.try(off);
    await trafficWorks(machine);
  }
}

/** Other programs of the machine filter packets, too. */
export const firewallChecks: Checks = [
  {
    name: "FORWARD policy DROP (iptables)",
    run: (machine) => beside(machine, firewalls["FORWARD policy DROP"]),
  },
  {
    name: "nft flush ruleset is repaired",
    async run(machine) {
      await machine.run("nft flush ruleset");
      const seconds = await trafficWorks(machine, repairMs);
      await until("the pod network's rules", async () => {
        const tables = await machine.run("nft list tables");
        assert.match(tables, /k8ts/);
        return true;
      });
      return `after ${seconds} s`;
    },
  },
  {
    name: "restart of nftables.service is repaired",
    async run(machine) {
      await machine.run("systemctl restart nftables");
      const seconds = await trafficWorks(machine, repairMs);
      await machine.run("systemctl stop nftables");
      await trafficWorks(machine, repairMs);
      return `after ${seconds} s`;
    },
  },
  {
    name: "Docker beside it",
    run: (machine) => beside(machine, firewalls.Docker),
  },
  {
    name: "ufw beside it",
    run: (machine) => beside(machine, firewalls.ufw),
  },
  {
    name: "firewalld beside it",
    run: (machine) =>
      beside(machine, { on: "systemctl start firewalld", off: "systemctl stop firewalld" }),
  },
  {
    name: "up with an INPUT policy of DROP says so",
    async run(machine) {
      await machine.run(
        "iptables -A INPUT -p tcp --dport 22 -j ACCEPT; iptables -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT; iptables -A INPUT -i lo -j ACCEPT; iptables -P INPUT DROP",
      );
      try {
        assert.match(await machine.run(`${k8ts} up`), /INPUT/);
        await trafficWorks(machine, repairMs);
      } finally {
        await machine.run(
          "iptables -P INPUT ACCEPT; iptables -D INPUT -p tcp --dport 22 -j ACCEPT; iptables -D INPUT -i lo -j ACCEPT; iptables -D INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
        );
      }
      return undefined;
    },
  },
];
