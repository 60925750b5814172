import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { systemClock as clock } from "#/std/time/clock.ts";
import { makeCredentials, ours, type RunningContender } from "./apiserver/contender.ts";
import { ScaleClient } from "./scale-client.ts";
import { fillStore, podsPerNode } from "./scale-store.ts";

/**
 * `node bench/scale.ts`: our API server with very many objects. For each number of --pods, these Pods and a
 * twentieth of that number of Nodes are written into an embedded store; then the server is started on it and queried.
 * The time of a step per object must not grow with their number. Prints how long each step takes, and its CPU time.
 */
const { values: flags } = parseArgs({
  options: {
    pods: { type: "string", default: "25000,50000,100000" },
    directory: { type: "string", default: "." },
  },
});

/** Idle time after which the server frees memory that it doesn't need (ms). */
const idleMs = 90_000;
const ticksPerSecond = 100;

using stack = new DisposableStack();
const directory = mkdtempSync(join(resolve(flags.directory), ".bench-scale-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));

const group = "g=meta.k8s.io;v=v1";
const protobuf = "application/vnd.kubernetes.protobuf";
const forms: Readonly<Record<string, string>> = {
  JSON: "application/json",
  protobuf,
  Table: `application/json;as=Table;${group}`,
  "metadata as JSON": `application/json;as=PartialObjectMetadataList;${group}`,
  "metadata as protobuf": `${protobuf};as=PartialObjectMetadataList;${group}`,
};

async function measure(count: number): Promise<void> {
  const own = join(directory, `run-${count}`);
  mkdirSync(own);
  const size = await fillStore(join(own, "store"), count);
  const server = await ours().start({ directory: own, credentials, cpus: "" });
  try {
    const nodes = Math.ceil(count / podsPerNode);
    print(`\n${count} Pods, ${nodes} Nodes: ${mebibytes(size)} MiB on disk`);
    report({ name: "start to /readyz", ms: server.readyMs, workMs: workMs(server), count });
    await quiet(server);
    print(`  resident: ${memory(server)}`);
    using client = new ScaleClient(server.url, credentials);
    await askAll(server, client, count);
    print(`  resident after all: ${memory(server)}`);
    await clock.sleep(idleMs);
    print(`  resident ${idleMs / 1000} s later: ${memory(server)}`);
  } finally {
    await server.stop();
  }
}

async function askAll(server: RunningContender, client: ScaleClient, count: number): Promise<void> {
  const step = async (name: string, each: number, run: () => Promise<string>): Promise<void> => {
    const [began, before] = [clock.monotonicMs(), workMs(server)];
    const detail = await run();
    const ms = clock.monotonicMs() - began;
    report({ name, ms, workMs: workMs(server) - before, count: each, detail });
  };
  const all = "/api/v1/pods";
  for (const [name, accept] of Object.entries(forms)) {
    for (const turn of ["first list", "list"])
      await step(`${turn}: ${name}`, count, () => client.read(all, { accept }));
  }
  await step("list, not compressed", count, () => client.read(all, { encoding: "identity" }));
  await step("list in pages of 500", count, () => client.pages(`${all}?limit=500`));
  const initial = `${all}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`;
  for (const name of ["JSON", "protobuf"]) {
    const accept = forms[name] ?? "";
    await step(`streamed list: ${name}`, count, () => client.initialEvents(initial, accept));
  }
  for (const turn of ["first list", "list"]) {
    const selected = `${all}?labelSelector=app%3Dapp-7`;
    await step(`${turn} by label`, count, () => client.read(selected));
  }
  await step("list of a node", count, () =>
    client.read(`${all}?fieldSelector=spec.nodeName%3Dnode-7`),
  );
  await step("get", 1, () => client.read("/api/v1/namespaces/team-7/pods/web-0000007"));
  await step("watch start to first event", 1, () => client.watchStart());
  const patches = 500;
  await step("patches, one by one", patches, () => client.patches(patches));
}

/** CPU time of the server's processes so far. */
function workMs({ pids }: RunningContender): number {
  let ticks = 0;
  for (const pid of pids) {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return (ticks / ticksPerSecond) * 1000;
}

/** Waits until the server has finished the work of its start. */
async function quiet(server: RunningContender): Promise<void> {
  for (let before = -1; workMs(server) - before > 50; await clock.sleep(1000)) {
    before = workMs(server);
  }
}

/** Its own memory, and the pages of its files in the kernel's cache. */
function memory({ pids }: RunningContender): string {
  const of = (name: string): number => {
    let kibibytes = 0;
    for (const pid of pids) {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      kibibytes += Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
    }
    return kibibytes * 1024;
  };
  return `${mebibytes(of("RssAnon"))} MiB, and ${mebibytes(of("RssFile"))} MiB of files`;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

interface Step {
  readonly name: string;
  readonly ms: number;
  readonly workMs: number;
  /** Number of objects of the step. */
  readonly count: number;
  readonly detail?: string;
}

function report({ name, ms, workMs, count, detail = "" }: Step): void {
  const each = `${((workMs * 1000) / count).toFixed(1)} µs each`;
  const times = `${ms.toFixed(0).padStart(7)} ms, works ${workMs.toFixed(0).padStart(6)} ms`;
  print(`  ${name.padEnd(34)} ${times} ${each.padStart(16)}  ${detail}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const count of flags.pods.split(",").map(Number)) await measure(count);
