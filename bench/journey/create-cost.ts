import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeCredentials, ours, type RunningContender } from "../apiserver/contender.ts";
import { median, morePercent } from "./median.ts";

/** Pods of one run, and slices that it is cut into: the servers take turns. */
const pods = 3000;
const slices = 10;
const runs = 5;
const sources = ["load.go", "objects.go"].map((name) =>
  join(import.meta.dirname, "../apiserver", name),
);

type Results = Record<string, { create?: { perSecond: number; cpuMicros: number } }>;

/** Creates of Pods on a server that records, and on one that does not. */
export async function createCost(folder: string): Promise<readonly string[]> {
  const load = join(folder, "load");
  execFileSync("go", ["build", "-o", load, ...sources], { stdio: "inherit" });
  const cpu: number[] = [];
  const rate: number[] = [];
  const lines: string[] = [];
  for (let run = 0; run < runs; run++) {
    const { on, off } = await oneRun(join(folder, `create-${run}`), load, run);
    cpu.push(on.cpuMicros / off.cpuMicros);
    rate.push(on.perSecond / off.perSecond);
    lines.push(
      `create: on ${on.cpuMicros.toFixed(0)} µs, ${on.perSecond.toFixed(0)}/s; off ${off.cpuMicros.toFixed(0)} µs, ${off.perSecond.toFixed(0)}/s`,
    );
  }
  return [
    ...lines,
    `processor time of a create with journeys: ${morePercent(median(cpu), 1)} more (median of ${runs} runs)`,
    `creates per second with journeys: ${morePercent(median(rate), 1)} more`,
  ];
}

async function oneRun(folder: string, load: string, run: number) {
  const credentials = makeCredentials(join(folder, "pki"));
  const servers: RunningContender[] = [];
  try {
    // Each run begins with the other one.
    for (const name of run % 2 === 0 ? ["on", "off"] : ["off", "on"]) {
      const directory = join(folder, name);
      mkdirSync(directory);
      const moreFlags = name === "on" ? ["--journey"] : [];
      servers.push(await ours(name).start({ directory, credentials, cpus: "0", moreFlags }));
    }
    const targets = servers.map(
      ({ name, url, pids }) => `${name}=${new URL(url).host}=${pids.join("+")}`,
    );
    const stdout = execFileSync("taskset", [
      ...["-c", "1", load, `-targets=${targets.join(",")}`],
      ...[`-cert=${credentials.admin.cert}`, `-key=${credentials.admin.key}`],
      ...[`-count=${pods}`, "-only=create", `-slices=${slices}`],
    ]);
    const { on, off } = JSON.parse(stdout.toString()) as Results;
    if (!on?.create || !off?.create) throw new Error("the client measured no creates");
    return { on: on.create, off: off.create };
  } finally {
    for (const server of servers) await server.stop();
  }
}
