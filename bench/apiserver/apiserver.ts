import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  type Contender,
  makeCredentials,
  ours,
  oursOnEtcd,
  type RunningContender,
  theirs,
} from "./contender.ts";

/**
 * `node bench/apiserver/apiserver.ts`: our API server on the embedded store, the real kube-apiserver on etcd and (with
 * --etcd) ours on etcd, all running at once with the same certificates, flags and disk; one client (load.go) puts load on
 * them in turn, a fifth of each operation at a time. Writes are synced.
 *
 * Two ways to measure. By default the servers are warm and alone: with their stores they share one processor
 * (--server-cpus=0), the client has the other (--client-cpus=1) and does not decompress, and everything is done a few
 * times before it is measured. With --as-user it is as for a user: servers just started, all processors for
 * all programs, and a client that decompresses responses.
 *
 * --before=FOLDER adds the k8ts of another checkout, to compare versions in one run; it can be given several times.
 * --without-upstream leaves the real kube-apiserver out.
 *
 * --rounds=N does the whole measurement N times with new servers, in another order each time, and prints medians: one
 * round on a shared machine differs from the next by up to 15 %.
 *
 * Starts are measured before, alone, on all processors, each with an empty store; etcd is up before its server is started
 * and its time isn't counted. Memory is the resident one at the end (etcd's included), without a forced collection.
 */
const { values: flags } = parseArgs({
  options: {
    count: { type: "string", default: "3000" },
    directory: { type: "string", default: "." },
    etcd: { type: "boolean", default: false },
    http1: { type: "boolean", default: false },
    "as-user": { type: "boolean", default: false },
    before: { type: "string", multiple: true, default: [] },
    "without-upstream": { type: "boolean", default: false },
    starts: { type: "string", default: "3" },
    rounds: { type: "string", default: "1" },
    "server-cpus": { type: "string", default: "0" },
    "client-cpus": { type: "string", default: "1" },
    programs: { type: "string", default: join(homedir(), ".cache/kube-conformance") },
    /** One contender alone, and one operation, for profiles. */
    contender: { type: "string", default: "" },
    only: { type: "string", default: "" },
  },
});

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
  readonly bytes: number;
}

/** What one round measured of each contender. */
type Round = Map<
  string,
  {
    readonly measured: Record<string, Measured>;
    readonly beforeMiB: number;
    readonly afterMiB: number;
  }
>;

using stack = new DisposableStack();
const directory = mkdtempSync(join(resolve(flags.directory), ".bench-apiserver-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));
const load = join(directory, "load");
const sources = ["load.go", "objects.go"].map((name) => join(import.meta.dirname, name));
execFileSync("go", ["build", "-o", load, ...sources], { stdio: "inherit" });

const all: Contender[] = [
  ...(flags["without-upstream"] ? [] : [theirs(flags.programs)]),
  ...flags.before.map((folder) => ours(basename(folder), resolve(folder))),
  ours(),
  ...(flags.etcd ? [oursOnEtcd(flags.programs)] : []),
];
const serverCpus = flags["as-user"] ? "" : flags["server-cpus"];
const clientCpus = flags["as-user"] ? "" : flags["client-cpus"];
const contenders = all.filter(({ name }) => flags.contender === "" || name === flags.contender);
let runs = 0;
await main();

async function main(): Promise<void> {
  const readyMs = new Map<string, number[]>();
  for (let round = 0; round < Number(flags.starts); round++) {
    for (const contender of contenders) {
      const running = await start(contender, "");
      readyMs.set(contender.name, [...(readyMs.get(contender.name) ?? []), running.readyMs]);
      await running.stop();
    }
  }
  const rounds: Round[] = [];
  for (let round = 0; round < Number(flags.rounds); round++) rounds.push(await runRound(round));
  for (const { name } of contenders) {
    const own = rounds.map((round) => round.get(name)).filter((result) => result !== undefined);
    print(
      `\n${name}: ready in ${median(readyMs.get(name) ?? []).toFixed(0)} ms; resident ${median(own.map(({ beforeMiB }) => beforeMiB)).toFixed(0)} MiB before, ${median(own.map(({ afterMiB }) => afterMiB)).toFixed(0)} MiB after`,
    );
    printTable(mediansOf(rounds, name), mediansOf(rounds, contenders[0]?.name ?? name));
  }
}

/** Starts all contenders, beginning with another one each time, and puts the load on them. */
async function runRound(round: number): Promise<Round> {
  const first = round % contenders.length;
  const running: RunningContender[] = [];
  try {
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      running.push(await start(contender, serverCpus));
    }
    const beforeMiB = running.map((server) => server.residentMiB());
    const measured = putLoadOn(running);
    return new Map(
      running.map((server, index) => [
        server.name,
        {
          measured: measured[server.name] ?? {},
          beforeMiB: beforeMiB[index] ?? 0,
          afterMiB: server.residentMiB(),
        },
      ]),
    );
  } finally {
    for (const server of running) await server.stop();
  }
}

/** The median of each figure of a contender over all rounds. */
function mediansOf(rounds: readonly Round[], name: string): Record<string, Measured> {
  const all = rounds.map((round) => round.get(name)?.measured ?? {});
  const operations = Object.keys(all[0] ?? {});
  return Object.fromEntries(
    operations.map((operation) => {
      const of = (figure: keyof Measured): number =>
        median(all.map((measured) => measured[operation]?.[figure] ?? 0));
      const figures = {
        perSecond: of("perSecond"),
        p50Ms: of("p50Ms"),
        p99Ms: of("p99Ms"),
        cpuMicros: of("cpuMicros"),
        bytes: of("bytes"),
      };
      return [operation, figures];
    }),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

function start(contender: Contender, cpus: string): Promise<RunningContender> {
  const own = join(directory, `run-${runs++}`);
  mkdirSync(own);
  return contender.start({ directory: own, credentials, cpus });
}

function putLoadOn(running: readonly RunningContender[]): Record<string, Record<string, Measured>> {
  const targets = running.map(
    ({ name, url, pids }) => `${name}=${new URL(url).host}=${pids.join("+")}`,
  );
  const command = [
    ...(clientCpus === "" ? [] : ["taskset", "-c", clientCpus]),
    load,
    `-targets=${targets.join(",")}`,
    ...[`-cert=${credentials.admin.cert}`, `-key=${credentials.admin.key}`],
    ...[`-count=${flags.count}`, `-only=${flags.only}`, `-http1=${flags.http1}`],
    ...[`-cold=${flags["as-user"]}`, `-inflate=${flags["as-user"]}`],
  ];
  const [program = "", ...args] = command;
  const stdout = execFileSync(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(stdout.toString()) as Record<string, Record<string, Measured>>;
}

function printTable(results: Record<string, Measured>, baseline: Record<string, Measured>): void {
  print(
    "  operation              per second   ratio    p50 ms    p99 ms  p99 ratio   cpu µs cpu ratio    bytes",
  );
  for (const [operation, measured] of Object.entries(results)) {
    const { perSecond, p50Ms, p99Ms, cpuMicros, bytes } = measured;
    const base = baseline[operation] ?? measured;
    const cells = [
      operation.padEnd(20),
      perSecond.toFixed(perSecond < 100 ? 1 : 0).padStart(12),
      `${(perSecond / base.perSecond).toFixed(1)}×`.padStart(7),
      p50Ms.toFixed(2).padStart(9),
      p99Ms.toFixed(2).padStart(9),
      (p99Ms / base.p99Ms).toFixed(2).padStart(10),
      cpuMicros.toFixed(0).padStart(8),
      (cpuMicros / base.cpuMicros).toFixed(2).padStart(9),
      bytes.toFixed(0).padStart(8),
    ];
    print(`  ${cells.join(" ")}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
