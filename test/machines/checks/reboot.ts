import assert from "node:assert/strict";
import { systemClock } from "#/std/time/clock.ts";
import type { Checks } from "../check.ts";
import { kubectl, trafficWorks, until, waitFor } from "../cluster.ts";

/** The machine restarts. */
export const rebootChecks: Checks = [
  {
    name: "reboot: clean, and everything returns without help",
    async run(machine) {
      const began = systemClock.monotonicMs();
      await machine.restart();
      const answers = systemClock.monotonicMs();
      await until(
        "the API server",
        async () => (await kubectl(machine, "get --raw /readyz")) === "ok",
      );
      await waitFor(machine, "condition=Available", "deployment/web");
      await trafficWorks(machine);
      const works = systemClock.monotonicMs();
      const shutdown = await machine.try(
        "journalctl -q -b -1 -o cat | sed -n '/Stopped target.*Multi-User/,$p' | grep -E 'Sending SIGKILL|timed out. Killing|Failed with result' | grep -v sshd",
      );
      assert.equal(shutdown.output, "", "the shutdown was not clean");
      await until("a system that has started", async () => {
        const { output } = await machine.try("systemctl is-system-running");
        assert.equal(output.trim(), "running");
        return true;
      });
      const down = ((answers - began) / 1000).toFixed(0);
      return `machine answers after ${down} s, Pods ${((works - answers) / 1000).toFixed(0)} s later`;
    },
  },
  {
    name: "the boot does not wait for the cluster",
    async run(machine) {
      await until(
        "the end of the boot",
        async () => (await machine.try("systemd-analyze time")).code === 0,
      );
      const blame = await machine.run("systemd-analyze blame --no-pager | grep k8ts || true");
      const slow = blame
        .split("\n")
        .filter((line) => /min|(^|\s)([3-9]\d|\d{3,})\.\d+s/.test(line));
      assert.deepEqual(slow, []);
      return undefined;
    },
  },
];
