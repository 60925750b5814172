/**
 * Faults of a cluster with three servers and two agents, each in a network namespace of this machine, under load:
 * `node test/servers/run.ts [--rounds 1] [--seed N] [--fault NAME]… [--keep]`. Exits with 1 if an invariant was violated.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemRandom } from "#/std/base/random.ts";
import { percentile } from "./judge.ts";
import { Machines, memoryMiB, pidOf } from "./machines.ts";
import { runRounds } from "./rounds.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    rounds: text,
    seed: text,
    name: text,
    keep: { type: "boolean", default: false },
    fault: { ...text, multiple: true, default: [] },
  },
});
const seed = values.seed === undefined ? Math.floor(systemRandom() * 2 ** 20) : Number(values.seed);
const rounds = Number(values.rounds ?? 1);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`node test/servers/run.ts --rounds ${rounds} --seed ${seed}`);
const name = values.name ?? `srv${process.pid.toString(36)}`;
const size = { servers: 3, agents: 2 };
const isThere = existsSync(`/var/lib/k8ts-${name}-a2`);
const machines = isThere ? Machines.attach(name, size) : await Machines.start(name, size);
await using cleaning = new AsyncDisposableStack();
if (!values.keep) cleaning.use(machines);
if (!isThere) say(`three servers ready in ${machines.serversMs} ms`);
const result = await runRounds(machines, {
  seed,
  rounds,
  faults: values.fault,
  times: [3_000, 12_000],
  sets: true,
  report: say,
});
for (const machine of machines.servers) {
  const [server, etcd] = [pidOf(machine, "server"), pidOf(machine, "etcd")];
  const of = async (pid: number | undefined) => (pid === undefined ? 0 : await memoryMiB(pid));
  say(`memory of ${machine.name}: server ${await of(server)} MiB, etcd ${await of(etcd)} MiB`);
}
for (const what of ["writesMs", "connectionsMs"] as const) {
  const all = result.outages.map((outage) => outage[what]);
  say(`${what}: p50 ${percentile(all, 0.5)}, p99 ${percentile(all, 0.99)} of ${all.length}`);
}
const { acknowledged, events, pods, violations } = result;
say(`${acknowledged} writes acknowledged, ${events} events, ${pods} Pods made`);
for (const line of violations.slice(0, 40)) say(`VIOLATION ${line}`);
say(`${violations.length} violations`);
if (violations.length > 0) process.exitCode = 1;
