import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { field, k8ts, kubectl, trafficWorks, until, waitFor } from "../cluster.ts";
import type { Machine } from "../machine.ts";

/** The link and the address by which the machine is reached. */
export async function ownAddress(machine: Machine): Promise<{ link: string; address: string }> {
  const text = await machine.run(
    "ip -4 -o address show scope global | grep -v -e k8ts -e cni -e docker",
  );
  const [, link = "", address = ""] = /^\d+: (\S+)\s+inet ([\d.]+)/.exec(text) ?? [];
  return { link, address };
}

const nodeAddress = (machine: Machine): Promise<string> =>
  field(machine, "nodes", '.items[0].status.addresses[?(@.type=="InternalIP")].address');

/** The new address: the same network, a host part that no machine of the kit has. */
const other = (address: string): string =>
  address.replace(/\d+$/, (last) => String(Number(last) + 100));

/** Moves the machine's route to another address. The old one stays reachable for the kit, but is no node's address. */
function changeAddress(link: string, from: string, to: string): string {
  return `ip address add ${to}/24 dev ${link} && ip address del ${from}/24 dev ${link} && ip address add ${from}/32 dev ${link} label ${link}:kit scope link
    gateway=$(ip -4 route show default | sed -n 's/.*via \\([^ ]*\\).*/\\1/p' | head -n 1); ip route del default 2>/dev/null
    ip route add default via \${gateway:-${from.replace(/\d+$/, "1")}} dev ${link} src ${to}`;
}

async function works(machine: Machine, address: string): Promise<void> {
  await until("the API server", async () => (await kubectl(machine, "get --raw /readyz")) === "ok");
  await until("the node's new address", async () => {
    assert.equal(await nodeAddress(machine), address);
    return true;
  });
  await until("the API's new endpoint", async () => {
    const slice = "endpointslice/kubernetes";
    assert.equal(await field(machine, slice, ".endpoints[*].addresses[*]"), address);
    return true;
  });
  await waitFor(machine, "condition=Ready", "nodes --all");
  await waitFor(machine, "condition=Available", "deployment/web");
  await trafficWorks(machine);
  assert.equal(await kubectl(machine, "exec client -- echo heard"), "heard\n");
}

/** The machine gets another address, as DHCP may give it. */
export const addressChecks: Checks = [
  {
    name: "another address while the cluster is down",
    async run(machine) {
      const { link, address } = await ownAddress(machine);
      await machine.run(`${k8ts} down`);
      await machine.run(changeAddress(link, address, other(address)));
      try {
        await machine.run(`${k8ts} up`, { timeoutMs: 600_000 });
        await works(machine, other(address));
      } finally {
        await machine.run(`${k8ts} down`);
        await machine.restart();
      }
      await machine.run(`${k8ts} up`, { timeoutMs: 600_000 });
      await works(machine, address);
      return undefined;
    },
  },
];
