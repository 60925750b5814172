import assert from "node:assert/strict";
import { systemClock } from "#/std/time/clock.ts";
import type { Checks } from "../check.ts";
import { field, k8ts, kubectl, trafficWorks, until, waitFor } from "../cluster.ts";
import type { Machine } from "../machine.ts";

const programs = ["server", "agent", "containerd"] as const;
type Program = (typeof programs)[number];

const mainPid = async (machine: Machine, program: Program): Promise<number> =>
  Number(await machine.run(`systemctl show -p MainPID --value k8ts-${program}`));

/** Restarts of all containers of the web servers: a restart of our programs must cause none. */
const restarts = (machine: Machine): Promise<string> =>
  field(machine, "pods -l app=web", ".items[*].status.containerStatuses[*].restartCount");

const uids = (machine: Machine): Promise<string> =>
  field(machine, "pods -l app=web", ".items[*].metadata.uid");

async function apiAnswers(machine: Machine): Promise<void> {
  await until("the API server", async () => (await kubectl(machine, "get --raw /readyz")) === "ok");
}

const since = (began: number): string =>
  `${((systemClock.monotonicMs() - began) / 1000).toFixed(1)} s`;

/** Kills programs, and waits until all work again without a restart of a container. */
async function surviveKill(machine: Machine, victims: readonly Program[]): Promise<string> {
  const before = [await restarts(machine), await uids(machine)];
  const pids = new Map<Program, number>();
  for (const victim of victims) pids.set(victim, await mainPid(machine, victim));
  const began = systemClock.monotonicMs();
  await machine.run(`kill -9 ${[...pids.values()].join(" ")}`);
  for (const [victim, old] of pids) {
    await until(`another ${victim}`, async () => {
      const pid = await mainPid(machine, victim);
      return pid !== 0 && pid !== old;
    });
  }
  await apiAnswers(machine);
  await waitFor(machine, "condition=Ready", "nodes --all");
  const took = since(began);
  await trafficWorks(machine);
  assert.deepEqual([await restarts(machine), await uids(machine)], before);
  return took;
}

/** Programs are units of systemd. */
export const unitChecks: Checks = [
  {
    name: "server, agent and containerd are services of their own, in system.slice",
    async run(machine) {
      for (const program of programs) {
        assert.equal(await machine.run(`systemctl is-active k8ts-${program}`), "active\n");
        const pid = await mainPid(machine, program);
        const cgroup = await machine.run(`cat /proc/${pid}/cgroup`);
        assert.match(cgroup, /^0::\/(system|k8ts)\.slice\//);
      }
      return undefined;
    },
  },
  {
    name: "units restart always, delegate, and protect from the OOM killer",
    async run(machine) {
      for (const program of programs) {
        const names = ["Restart", "OOMScoreAdjust", "LimitNOFILE", "TasksMax"];
        const options = names.map((name) => `-p ${name}`).join(" ");
        const text = await machine.run(`systemctl show ${options} k8ts-${program}`);
        assert.match(text, /Restart=always/, program);
        assert.match(text, /TasksMax=infinity/, program);
        assert.match(text, /OOMScoreAdjust=-\d+/, program);
      }
      assert.equal(
        await machine.run("systemctl show -p Delegate --value k8ts-containerd"),
        "yes\n",
      );
      return undefined;
    },
  },
  {
    name: "the journal has the log of each program, and `k8ts logs` too",
    async run(machine) {
      for (const program of programs) {
        const lines = await machine.run(`journalctl -q -o cat -n 20 -u k8ts-${program} | wc -l`);
        assert.ok(Number(lines) > 0, `the journal has nothing of ${program}`);
      }
      assert.notEqual((await machine.run(`${k8ts} logs kubelet | head -n 3`)).trim(), "");
      return undefined;
    },
  },
  ...programs.map((program) => ({
    name: `kill -9 of ${program}: back, no container restarted`,
    run: (machine: Machine) => surviveKill(machine, [program]),
  })),
  {
    name: "kill -9 of all three at once: back without help",
    run: (machine) => surviveKill(machine, programs),
  },
  {
    name: "kill -9 of every process of k8ts, ten times: never given up",
    async run(machine) {
      for (let round = 0; round < 10; round++) {
        await machine.run("systemctl kill -s KILL k8ts-agent; sleep 0.3");
      }
      await until("the agent", async () => (await mainPid(machine, "agent")) !== 0);
      await waitFor(machine, "condition=Ready", "nodes --all");
      await trafficWorks(machine);
      return undefined;
    },
  },
  {
    name: "systemctl stop, start, restart and status of k8ts",
    async run(machine) {
      await machine.run("systemctl status k8ts");
      const began = systemClock.monotonicMs();
      await machine.run("systemctl stop k8ts");
      const stopped = since(began);
      for (const program of programs) {
        const { output } = await machine.try(`systemctl is-active k8ts-${program}`);
        assert.equal(output, "inactive\n", program);
      }
      assert.equal((await machine.run("pgrep -fc '[c]ontainerd-shim' || true")).trim(), "0");
      const again = systemClock.monotonicMs();
      await machine.run("systemctl start k8ts");
      await apiAnswers(machine);
      await waitFor(machine, "condition=Available", "deployment/web");
      const started = since(again);
      await machine.run("systemctl restart k8ts");
      await apiAnswers(machine);
      await waitFor(machine, "condition=Ready", "nodes --all");
      await trafficWorks(machine);
      return `stop ${stopped}, start until Pods are ready ${started}`;
    },
  },
  {
    name: "down stops it and keeps it stopped, up starts it again",
    async run(machine) {
      await machine.run(`${k8ts} down`);
      const { output } = await machine.try("systemctl is-active k8ts-agent");
      assert.equal(output, "inactive\n");
      assert.equal(await machine.run("systemctl --failed --no-legend --plain"), "");
      await machine.run(`${k8ts} up`);
      await waitFor(machine, "condition=Available", "deployment/web");
      await trafficWorks(machine);
      return undefined;
    },
  },
  {
    name: "the end of the login session that ran up ends nothing",
    async run(machine) {
      await machine.run(`${k8ts} down && ${k8ts} up`, { timeoutMs: 600_000 });
      const pids: number[] = [];
      for (const program of programs) pids.push(await mainPid(machine, program));
      // Each command has its own session, which ends here with all its processes.
      await machine.try(
        "for s in $(loginctl list-sessions --no-legend | awk '{print $1}'); do loginctl terminate-session $s; done",
      );
      const after: number[] = [];
      await until("a new session", async () => (await machine.try("true")).code === 0);
      for (const program of programs) after.push(await mainPid(machine, program));
      assert.deepEqual(after, pids);
      await trafficWorks(machine);
      return undefined;
    },
  },
];
