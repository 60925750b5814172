import assert from "node:assert/strict";
import { systemClock } from "#/std/time/clock.ts";
import type { Check, Checks } from "../check.ts";
import { ensureCluster, k8ts, trafficWorks } from "../cluster.ts";
import { added, findTraces } from "../traces.ts";

/** The life cycle of a cluster, after which the machine must be as before. */
function purge(mode: "nftables" | "iptables"): Check {
  return {
    name: `down --purge leaves nothing (${mode})`,
    needs: "nothing",
    async run(machine) {
      // Modules and sysctls that were once needed stay; so do the tables of iptables, which any `iptables -L` creates.
      await machine.run(
        "iptables -L >/dev/null; iptables -t nat -L >/dev/null; iptables -t mangle -L >/dev/null; ip6tables -L >/dev/null; ip6tables -t nat -L >/dev/null; ip6tables -t mangle -L >/dev/null",
      );
      const before = await findTraces(machine);
      await machine.run(`${k8ts} up --proxy-mode=${mode}`, { timeoutMs: 600_000 });
      await ensureCluster(machine);
      await trafficWorks(machine);
      const began = systemClock.monotonicMs();
      await machine.run(`${k8ts} down --purge`);
      const took = ((systemClock.monotonicMs() - began) / 1000).toFixed(1);
      assert.deepEqual(added(before, await findTraces(machine)), []);
      return `${took} s`;
    },
  };
}

/** Nothing is left. */
export const leaveChecks: Checks = [
  purge("nftables"),
  purge("iptables"),
  {
    name: "sudo k8ts up by an ordinary user",
    needs: "nothing",
    async run(machine) {
      const as = (command: string): string => `su - user -c '${command}'`;
      await machine.run(as(`sudo ${k8ts} up`), { timeoutMs: 600_000 });
      try {
        // The context is in the user's own kubeconfig: no sudo is needed to use the cluster.
        const nodes = await machine.run(as(`${k8ts} kubectl get nodes --no-headers`));
        assert.match(nodes, / Ready /);
      } finally {
        await machine.run(as(`sudo ${k8ts} down --purge`));
      }
      return undefined;
    },
  },
  {
    name: "up by an ordinary user without sudo asks for root",
    needs: "nothing",
    async run(machine) {
      const { code, output } = await machine.try(`su - user -c '${k8ts} up'`);
      assert.notEqual(code, 0);
      assert.match(output, /root/);
      return undefined;
    },
  },
];
