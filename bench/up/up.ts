/**
 * The cost of a cluster: the time until it runs, until its first Pod runs and names are resolved; its use when
 * idle; how long a Pod takes compared to the bare calls to the runtime; and the time to recover after
 * its processes were killed. Creates a cluster of its own, and removes it. As root, with busybox-static:
 *
 *     node bench/up/up.ts [SECONDS]      idle time; default 60
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "#/std/time/clock.ts";
import { webImage } from "../../test/e2e/machine.ts";
import { makeCredentials, ours } from "../apiserver/contender.ts";
import { BenchCluster, image } from "./bench-cluster.ts";
import { killUnderLoad, stopAgent } from "./failures.ts";
import { firstPod, podStart } from "./pod-starts.ts";
import { type ProcessUse, processesOf, useOf } from "./process-use.ts";

const idleSeconds = Number(process.argv[2] ?? 60);
/** Delay until the work after a start is over (ms): garbage collections, second checks, and memory given back after two minutes. */
const settleMs = 150_000;
const serverStarts = 5;
const podStarts = 15;
const podsUnderLoad = 15;

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly target?: string;
}

async function timedSeconds(run: () => Promise<unknown>): Promise<number> {
  const began = clock.monotonicMs();
  await run();
  return (clock.monotonicMs() - began) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** From the start of an API server's process to its /readyz, with an empty store. */
async function serverStart(folder: string): Promise<Figure> {
  const credentials = makeCredentials(join(folder, "credentials"));
  const times: number[] = [];
  for (let run = 0; run < serverStarts; run++) {
    const directory = await mkdtemp(join(folder, "server-"));
    const server = await ours().start({ directory, credentials, cpus: "" });
    times.push(server.readyMs / 1000);
    await server.stop();
  }
  const value = `${median(times).toFixed(2)} s`;
  return { name: "API server alone, process start to /readyz", value, target: "0.5 s" };
}

async function starting(cluster: BenchCluster, folder: string): Promise<Figure[]> {
  const archive = join(folder, "web.tar");
  await writeFile(archive, webImage(image));
  const up = await timedSeconds(() => cluster.up());
  const first = await timedSeconds(async () => {
    await cluster.k8ts("image", "load", "--name", cluster.name, archive);
    await firstPod(cluster);
  });
  return [
    { name: "k8ts up to node Ready", value: `${up.toFixed(1)} s`, target: "3 s" },
    {
      name: "… to the first Pod Ready, names resolved in it",
      value: `${(up + first).toFixed(1)} s`,
      target: "6 s",
    },
  ];
}

async function idle(cluster: BenchCluster): Promise<Figure[]> {
  // The first start has stripped types and compiled; every other one finds that done.
  await cluster.restart();
  await clock.sleep(settleMs);
  const before = processesOf(cluster.folder);
  await clock.sleep(idleSeconds * 1000);
  const uses = useOf(before, idleSeconds);
  const counted = uses.filter(({ name }) => name === "server" || name === "agent");
  const sum = (of: (use: ProcessUse) => number, all = counted): number =>
    all.reduce((total, use) => total + of(use), 0);
  const total = sum(({ residentMiB }) => residentMiB);
  const core = sum(({ corePercent }) => corePercent);
  return [
    { name: "server + agent, resident", value: `${total.toFixed(0)} MiB`, target: "240 MiB" },
    {
      name: "… what they share counted once",
      value: `${sum(({ proportionalMiB }) => proportionalMiB).toFixed(0)} MiB`,
    },
    {
      name: `… of a core, over ${idleSeconds} s`,
      value: `${core.toFixed(1)} %`,
      target: "1 %",
    },
    ...uses.map(({ name, residentMiB, corePercent }) => ({
      name: `… of which ${name}`,
      value: `${residentMiB.toFixed(0)} MiB, ${corePercent.toFixed(1)} %`,
    })),
  ];
}

async function pods(cluster: BenchCluster): Promise<Figure> {
  const runs: { readonly bareMs: number; readonly wholeMs: number }[] = [];
  for (let index = 0; index < podStarts; index++) runs.push(await podStart(cluster, index));
  const [bare, whole] = [
    median(runs.map(({ bareMs }) => bareMs)),
    median(runs.map(({ wholeMs }) => wholeMs)),
  ];
  return {
    name: "Pod, bound to Running reported, as to bare CRI calls",
    value: `${(whole / bare).toFixed(2)} × (${whole.toFixed(0)} ms : ${bare.toFixed(0)} ms)`,
    target: "1.3 ×",
  };
}

async function failures(cluster: BenchCluster): Promise<Figure[]> {
  const { secondsToConverge, containersKept } = await killUnderLoad(cluster, podsUnderLoad);
  const stopSeconds = await stopAgent(cluster);
  return [
    {
      name: "kill -9 of server and agent under load, to all Pods Ready",
      value: `${secondsToConverge.toFixed(1)} s, ${containersKept ? "no container restarted" : "CONTAINERS RESTARTED"}`,
      target: "10 s",
    },
    { name: `agent stopped with ${podsUnderLoad} Pods`, value: `${stopSeconds.toFixed(1)} s` },
  ];
}

function print(figures: readonly Figure[]): void {
  const rows = [{ name: "figure", value: "measured", target: "target" }, ...figures];
  const width = (of: "name" | "value"): number => Math.max(...rows.map((row) => row[of].length));
  for (const { name, value, target = "" } of rows) {
    process.stdout.write(
      `${name.padEnd(width("name"))}  ${value.padEnd(width("value"))}  ${target}`.trimEnd(),
    );
    process.stdout.write("\n");
  }
}

const folder = await mkdtemp(join(tmpdir(), "k8ts-bench-"));
const figures: Figure[] = [];
try {
  figures.push(await serverStart(folder));
  await using cluster = new BenchCluster(join(folder, "kubeconfig"));
  figures.push(...(await starting(cluster, folder)));
  figures.push(...(await idle(cluster)));
  figures.push(await pods(cluster));
  figures.push(...(await failures(cluster)));
  const down = await timedSeconds(() => cluster.down());
  figures.push({ name: "k8ts down --purge", value: `${down.toFixed(1)} s` });
} finally {
  print(figures);
  await rm(folder, { recursive: true });
}
