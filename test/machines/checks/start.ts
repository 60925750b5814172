import assert from "node:assert/strict";
import { systemClock } from "#/std/time/clock.ts";
import type { Checks } from "../check.ts";
import { apply, field, image, k8ts, kubectl, pod, trafficWorks, waitFor } from "../cluster.ts";

const seconds = (began: number): string =>
  `${((systemClock.monotonicMs() - began) / 1000).toFixed(1)} s`;

/** A cluster starts, and its Pods reach each other. */
export const startChecks: Checks = [
  {
    name: "up on a machine without a cluster",
    needs: "nothing",
    async run(machine) {
      const began = systemClock.monotonicMs();
      await machine.run(`${k8ts} up`, { timeoutMs: 600_000 });
      const first = seconds(began);
      await waitFor(machine, "condition=Ready", "nodes --all");
      await machine.run(`${k8ts} down --purge`);
      return `first start ${first}`;
    },
  },
  {
    name: "Deployment, Service, node port, DNS and API from a Pod",
    async run(machine) {
      await trafficWorks(machine);
      return undefined;
    },
  },
  {
    name: "exec, logs, cp",
    async run(machine) {
      assert.equal(await kubectl(machine, "exec client -- echo heard"), "heard\n");
      await apply(machine, pod("talker", { command: "echo said; sleep 100000" }));
      await waitFor(machine, "condition=Ready", "pod/talker");
      assert.equal(await kubectl(machine, "logs talker"), "said\n");
      await machine.run("head -c 3000000 /dev/urandom >/root/sent");
      await kubectl(machine, "cp /root/sent client:/tmp/sent");
      await kubectl(machine, "cp client:/tmp/sent /root/back");
      await machine.run("cmp /root/sent /root/back; rm /root/sent /root/back");
      await kubectl(machine, "delete pod talker --now");
      return undefined;
    },
  },
  {
    name: "a limit of open files that suits servers",
    async run(machine) {
      const limit = Number((await kubectl(machine, "exec client -- sh -c 'ulimit -n'")).trim());
      assert.ok(limit >= 524_288, `ulimit -n is ${limit}`);
      return undefined;
    },
  },
  {
    name: "AppArmor confines Pods",
    async run(machine) {
      const lsm = await machine.run("cat /sys/kernel/security/lsm");
      assert.match(lsm, /apparmor/);
      const profile = await kubectl(machine, "exec client -- cat /proc/1/attr/current");
      assert.match(profile, /\(enforce\)/);
      return profile.trim();
    },
  },
  {
    name: "an image that is not there is reported as upstream does",
    async run(machine) {
      await apply(
        machine,
        pod("absent", { container: { image: "absent:1", imagePullPolicy: "Never" } }),
      );
      const path = ".status.containerStatuses[0].state.waiting.reason";
      await waitFor(machine, `jsonpath='{${path}}'=ErrImageNeverPull`, "pod/absent");
      await kubectl(machine, "delete pod absent --now");
      assert.equal(await field(machine, "pod/client", ".spec.containers[0].image"), image);
      return undefined;
    },
  },
];
