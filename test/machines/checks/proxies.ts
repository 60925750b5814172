import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { k8ts, trafficWorks, until } from "../cluster.ts";
import type { Machine } from "../machine.ts";

/** Numbers of KUBE lines of iptables, and whether nftables has the proxy's table. */
async function rules(machine: Machine): Promise<{ iptables: boolean; nftables: boolean }> {
  const lines = await machine.run(
    "iptables-save -t nat 2>/dev/null | grep -c KUBE-SERVICES || true",
  );
  const table = await machine.try("nft list table ip kube-proxy");
  return { iptables: Number(lines) > 0, nftables: table.code === 0 };
}

async function switchTo(machine: Machine, mode: "iptables" | "nftables"): Promise<void> {
  await machine.run(`${k8ts} up --proxy-mode=${mode}`);
  await until(`rules of ${mode} alone`, async () => {
    const wanted = { iptables: mode === "iptables", nftables: mode === "nftables" };
    assert.deepEqual(await rules(machine), wanted);
    return true;
  });
  await trafficWorks(machine);
}

/** Both ways to route Services. */
export const proxyChecks: Checks = [
  {
    name: "up --proxy-mode=iptables on a running cluster takes effect",
    async run(machine) {
      await switchTo(machine, "iptables");
      return undefined;
    },
  },
  {
    name: "iptables -F and -X are repaired",
    async run(machine) {
      await machine.run("iptables -t nat -F; iptables -t nat -X; iptables -F; iptables -X");
      const seconds = await trafficWorks(machine);
      return `after ${seconds} s`;
    },
  },
  {
    name: "up --proxy-mode=nftables takes effect",
    async run(machine) {
      await switchTo(machine, "nftables");
      return undefined;
    },
  },
];
