import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { namespaces, nodes, pods } from "#/api/core/v1.ts";
import { Client } from "#/client/client.ts";
import { openTransport } from "#/client/kubeconfig/transport-for.ts";
import { systemClock as clock } from "#/std/time/clock.ts";
import { type Credentials, makeCredentials, ours, theirs } from "../apiserver/contender.ts";
import { benchNode, benchPod, type PodKind } from "./objects.ts";

/**
 * `node bench/scheduler/scheduler.ts`: our scheduler and the real kube-scheduler in turn, each against a new API server
 * (ours on the embedded store, or with --server=theirs the real one on etcd), with the same nodes and the same pods,
 * which exist before the scheduler starts. The rate is that of bindings from the first to the last, as a watch sees
 * them. Neither has a limit of its request rate.
 */
const { values: flags } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    pods: { type: "string", default: "5000" },
    kinds: { type: "string", default: "plain,spread,anti-affinity" },
    rounds: { type: "string", default: "1" },
    /** The API server of both: ours or theirs. */
    server: { type: "string", default: "ours" },
    /** One contender alone, for profiles. */
    contender: { type: "string", default: "" },
    /** The CPUs of the API server and of the scheduler, as for taskset; all when empty. */
    "server-cpus": { type: "string", default: "" },
    "scheduler-cpus": { type: "string", default: "" },
    programs: { type: "string", default: join(homedir(), ".cache/kube-conformance") },
  },
});

const root = join(import.meta.dirname, "../..");
const contenders: Readonly<Record<string, readonly string[]>> = {
  k8ts: [process.execPath, join(root, "bin/kube-scheduler.ts")],
  "kube-scheduler": [join(flags.programs, "reference/bin/kube-scheduler")],
};

interface Measured {
  readonly perSecond: number;
  readonly cpuSeconds: number;
  readonly residentMiB: number;
}

using stack = new DisposableStack();
const directory = mkdtempSync(join(tmpdir(), "bench-scheduler-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));
let runs = 0;

for (const kind of flags.kinds.split(",") as PodKind[]) {
  const measured = new Map<string, Measured[]>();
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [name, command] of Object.entries(contenders)) {
      if (flags.contender !== "" && flags.contender !== name) continue;
      measured.set(name, [...(measured.get(name) ?? []), await measure(command, kind)]);
    }
  }
  report(kind, measured);
}

function report(kind: PodKind, measured: ReadonlyMap<string, readonly Measured[]>): void {
  const best = new Map<string, number>();
  for (const [name, list] of measured) {
    const top = list.toSorted((a, b) => b.perSecond - a.perSecond)[0];
    if (top === undefined) continue;
    best.set(name, top.perSecond);
    const { perSecond, cpuSeconds, residentMiB } = top;
    const figures = `${perSecond.toFixed(0)} pods/s, ${cpuSeconds.toFixed(1)} s of CPU, ${residentMiB.toFixed(0)} MiB`;
    process.stdout.write(`${kind.padEnd(14)}${name.padEnd(16)}${figures}\n`);
  }
  const ratio = (best.get("k8ts") ?? 0) / (best.get("kube-scheduler") ?? 0);
  if (Number.isFinite(ratio)) process.stdout.write(`${kind.padEnd(14)}ratio ${ratio.toFixed(2)}\n`);
}

async function measure(command: readonly string[], kind: PodKind): Promise<Measured> {
  const own = join(directory, String(runs++));
  mkdirSync(own);
  const contender = flags.server === "ours" ? ours() : theirs(flags.programs);
  const server = await contender.start({
    directory: own,
    credentials,
    cpus: flags["server-cpus"],
    // No controller runs that would create service accounts, or report that nodes are ready.
    gateFlags: [
      "--authorization-mode=Node,RBAC",
      "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    ],
  });
  const kubeconfig = writeKubeconfig(own, server.url, credentials);
  try {
    await using transport = await openTransport({ kubeconfig });
    const client = new Client(transport, { qps: 0 });
    await populate(client, kind);
    const scheduler = startScheduler(command, own, kubeconfig);
    try {
      const perSecond = await rateOfBindings(client);
      const { cpuSeconds, residentMiB } = processFigures(scheduler.pid ?? 0);
      return { perSecond, cpuSeconds, residentMiB };
    } finally {
      scheduler.kill("SIGKILL");
    }
  } finally {
    await server.stop();
  }
}

async function populate(client: Client, kind: PodKind): Promise<void> {
  await client.create(namespaces, { metadata: { name: "bench" }, spec: {} });
  await inParallel(Number(flags.nodes), (index) => client.create(nodes, benchNode(index)));
  await inParallel(Number(flags.pods), (index) => client.create(pods, benchPod(index, kind)));
}

async function inParallel(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

function startScheduler(command: readonly string[], own: string, kubeconfig: string): ChildProcess {
  const config = join(own, "scheduler.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      clientConnection: { kubeconfig, qps: 100_000, burst: 100_000 },
      leaderElection: { leaderElect: false },
    }),
  );
  const pinned = flags["scheduler-cpus"] === "" ? [] : ["taskset", "-c", flags["scheduler-cpus"]];
  const [program = "", ...args] = [...pinned, ...command, `--config=${config}`, "--secure-port=0"];
  const log = openSync(join(own, "scheduler.log"), "w");
  const child = spawn(program, args, { stdio: ["ignore", log, log] });
  closeSync(log);
  return child;
}

/** Bindings per second, from the first event to the last. */
async function rateOfBindings(client: Client): Promise<number> {
  const total = Number(flags.pods);
  let seen = 0;
  let firstMs = 0;
  const list = await client.list(pods, { namespace: "bench", fieldSelector: "spec.nodeName!=" });
  const { resourceVersion = "" } = list.metadata;
  const watch = client.watch(pods, {
    namespace: "bench",
    fieldSelector: "spec.nodeName!=",
    resourceVersion,
  });
  for await (const { type } of watch) {
    if (type !== "ADDED") continue;
    if (seen++ === 0) firstMs = clock.monotonicMs();
    if (seen === total) break;
  }
  return (total - 1) / ((clock.monotonicMs() - firstMs) / 1000);
}

function processFigures(pid: number): Omit<Measured, "perSecond"> {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0;
  return { cpuSeconds: ticks / 100, residentMiB: Number(resident) / 1024 };
}

function writeKubeconfig(own: string, server: string, { authority, admin }: Credentials): string {
  const path = join(own, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "bench", cluster: { server, "certificate-authority": authority } }],
    users: [{ name: "admin", user: { "client-certificate": admin.cert, "client-key": admin.key } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "admin" } }],
    "current-context": "bench",
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}
