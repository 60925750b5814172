import { seededRandom } from "#/std/base/random.ts";
import { systemClock } from "#/std/time/clock.ts";
import { until } from "#/testing/until.ts";
import { type FaultTimes, planRound, type Strike } from "./faults.ts";
import { connectionOutageMs, controllerOutageMs, judge, writeOutageMs } from "./judge.ts";
import { Load } from "./load.ts";
import { leader, type Machine, type Machines } from "./machines.ts";
import { NodeWatch } from "./node-watch.ts";
import type { LoadRecord } from "./records.ts";

/** Time after the end of a fault in which its effects count (ms). */
const effectMs = 3_000;
const quietMs = 1_000;

interface RoundOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Of these faults; all if it is empty. */
  readonly faults: readonly string[];
  readonly times: FaultTimes;
  /** Whether ReplicaSets are made meanwhile. */
  readonly sets: boolean;
  readonly report: (line: string) => void;
}

interface Outage {
  readonly fault: string;
  readonly writesMs: number;
  readonly connectionsMs: number;
  readonly controllersMs: number;
}

export interface RoundsResult {
  readonly violations: readonly string[];
  readonly outages: readonly Outage[];
  readonly acknowledged: number;
  readonly events: number;
  readonly pods: number;
}

/** Strikes a cluster of several servers under load, each fault once in a round, and judges what clients have seen. */
export async function runRounds(machines: Machines, options: RoundOptions): Promise<RoundsResult> {
  const { seed, rounds, report } = options;
  const violations: string[] = [];
  const outages: Outage[] = [];
  let [acknowledged, events, pods] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const random = seededRandom(seed * 1_009 + round);
    for (let skipped = 0; skipped < 5; skipped++) random();
    const namespace = `load-${seed}-${round}`;
    await machines.kubectl(machines.first, "create", "namespace", namespace);
    const pki = `${machines.first.folder}/pki`;
    const loads = machines.agents.map(
      (agent, index) =>
        new Load(agent, pki, {
          namespace,
          prefix: `r${round}-${index}`,
          seed: seed * 17 + round * 2 + index,
          writers: 3,
          watchers: 2,
          pauseMs: 15,
          setsMs: options.sets && index === 0 ? 400 : 0,
        }),
    );
    const nodes = await NodeWatch.start(machines);
    try {
      await until("each load writes", () =>
        loads.every(({ records }) => records.some(({ kind }) => kind === "acknowledged")),
      );
      const strikes = planRound(random, options.faults, options.times);
      const spans: { strike: Strike; from: number; to: number; at: string }[] = [];
      for (const strike of strikes) {
        // Load without a fault.
        await systemClock.sleep(quietMs);
        const target = await chosen(machines, strike);
        const from = systemClock.now();
        await strike.fault.strike(target);
        // How long the fault lasts is a part of it.
        await systemClock.sleep(strike.lastsMs);
        await strike.fault.mend(target);
        // The span in which effects are measured.
        await systemClock.sleep(effectMs);
        const role = strike.server === undefined ? "leader" : "server";
        spans.push({ strike, from, to: systemClock.now(), at: `${role} ${target.name}` });
      }
      const all = await Promise.all(loads.map((load) => load.end()));
      for (const { strike, from, to, at } of spans) {
        const outage = {
          fault: strike.fault.name,
          writesMs: Math.max(...all.map((records) => writeOutageMs(records, { from, to }))),
          connectionsMs: Math.max(
            ...all.map((records) => connectionOutageMs(records, { from, to })),
          ),
          controllersMs: controllerOutageMs(all[0] ?? [], { from, to }),
        };
        outages.push(outage);
        report(
          `${strike.fault.name} of ${at} for ${strike.lastsMs} ms: writes ${outage.writesMs} ms, new connections ${outage.connectionsMs} ms, controllers ${outage.controllersMs} ms`,
        );
      }
      for (const [index, records] of all.entries()) {
        violations.push(...judge(records).map((line) => `round ${round}, node ${index}: ${line}`));
        acknowledged += count(records, "acknowledged");
        events += count(records, "event");
        pods += count(records, "pod");
      }
      violations.push(...nodes.violations.map((line) => `round ${round}: ${line}`));
    } finally {
      for (const load of loads) load.kill();
      nodes.stop();
    }
    await machines.kubectl(machines.first, "delete", "namespace", namespace);
  }
  return { violations, outages, acknowledged, events, pods };
}

const count = (records: readonly LoadRecord[], kind: LoadRecord["kind"]): number =>
  records.filter((record) => record.kind === kind).length;

async function chosen(machines: Machines, { server }: Strike): Promise<Machine> {
  if (server === undefined) return (await leader(machines)) ?? machines.first;
  return machines.servers[server % machines.servers.length] ?? machines.first;
}
