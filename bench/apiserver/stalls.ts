import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { systemClock as clock } from "#/std/time/clock.ts";
import {
  deadlyRequests,
  firstLists,
  type HostileRequest,
  hostileRequests,
  listedMap,
  surroundings,
} from "../../test/attacks/stalls/hostile-requests.ts";
import type { Stall } from "../../test/attacks/stalls/stall-probe.ts";
import {
  type Contender,
  makeCredentials,
  ours,
  type RunningContender,
  theirs,
} from "./contender.ts";

/**
 * `node bench/apiserver/stalls.ts`: requests that are long to serve (test/attacks/stalls), each sent to the real
 * kube-apiserver on etcd, to this checkout and (--before=FOLDER) to another one, while an administrator's GET is sent
 * every few milliseconds. For each: the status, the processor time that the server used, the longest wait of the GET,
 * and for ours the longest time that its main thread computed during one GET, which a busy machine does not change.
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: "string", default: "." },
    before: { type: "string", default: "" },
    /** Only the requests whose name contains this. */
    only: { type: "string", default: "" },
    /** Only the contenders whose name contains this. */
    contender: { type: "string", default: "" },
    /** Those that may end a server. */
    deadly: { type: "boolean", default: false },
    programs: { type: "string", default: join(homedir(), ".cache/kube-conformance") },
  },
});

interface Measured {
  readonly status: string;
  readonly cpuMs: number;
  readonly stall: Stall;
}

/** Limit of the wait for one request (ms). */
const limitMs = 180_000;
const listedCount = 5_000;
const concurrency = 20;

using stack = new DisposableStack();
const directory = mkdtempSync(join(resolve(flags.directory), ".bench-stalls-"));
stack.defer(() => rmSync(directory, { recursive: true }));
const credentials = makeCredentials(join(directory, "pki"));
const certificates = {
  cert: readFileSync(credentials.admin.cert),
  key: readFileSync(credentials.admin.key),
  rejectUnauthorized: false,
};
const results = new Map<string, Map<string, Measured>>();
const contenders = [
  theirs(flags.programs),
  ...(flags.before === "" ? [] : [ours("k8ts before", resolve(flags.before))]),
  ours(),
].filter(({ name }) => name.includes(flags.contender));
for (const [index, contender] of contenders.entries()) await measureAll(contender, index);
printTable();

async function measureAll(contender: Contender, index: number): Promise<void> {
  const own = join(directory, `run-${index}`);
  mkdirSync(own);
  const chosen = (all: readonly HostileRequest[]) =>
    all.filter(({ name }) => name.includes(flags.only));
  const first = await start(contender, own);
  try {
    await prepare(first);
    for (const one of chosen(hostileRequests)) note(contender, one.name, await measure(first, one));
  } finally {
    await first.stop();
  }
  const second = await start(contender, own);
  try {
    for (const one of chosen(firstLists)) {
      note(contender, `first ${one.name}`, await measure(second, one));
    }
    for (const one of flags.deadly ? chosen(deadlyRequests) : []) {
      note(contender, one.name, await measure(second, one));
    }
  } finally {
    await second.stop();
  }
}

function start(contender: Contender, own: string): Promise<RunningContender> {
  const moreFlags = contender.name.startsWith("k8ts") ? [] : ["--request-timeout=60s"];
  return contender.start({ directory: own, credentials, cpus: "", moreFlags });
}

function note({ name }: Contender, what: string, measured: Measured): void {
  const row = results.get(what) ?? new Map<string, Measured>();
  row.set(name, measured);
  results.set(what, row);
  process.stderr.write(`${name}: ${what}: ${cells(measured).join(" ")}\n`);
}

async function prepare({ url }: RunningContender): Promise<void> {
  const agent = new Agent({ keepAlive: true, ...certificates, maxSockets: concurrency });
  const post = async (path: string, body: object): Promise<void> => {
    const sent = { name: "", method: "POST", path, body: () => JSON.stringify(body) } as const;
    const status = await send(url, agent, sent, {});
    if (status !== 201) throw new Error(`POST ${path}: ${status}`);
  };
  for (const [path, body] of surroundings) await post(path, body);
  const next = Array.from({ length: listedCount }, (_, index) => index).values();
  const work = async () => {
    for (const index of next) await post("/api/v1/namespaces/many/configmaps", listedMap(index));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  agent.destroy();
  await clock.sleep(3_000);
}

async function measure(running: RunningContender, one: HostileRequest): Promise<Measured> {
  const agent = new Agent({ keepAlive: false, ...certificates });
  const body = one.body?.();
  const [pid = 0] = running.pids;
  const probe = new Worker(new URL("../../test/attacks/stalls/stall-probe.ts", import.meta.url), {
    workerData: { url: running.url, pid, ...certificates },
  });
  await next(probe);
  const before = cpuMs(running.pids);
  const sent = { ...one, ...(body === undefined ? {} : { body: () => body }) };
  const headers = { "impersonate-user": "tenant" };
  const copies = Array.from({ length: one.copies ?? 1 }, () =>
    send(running.url, agent, sent, headers),
  );
  const statuses = [...new Set(await Promise.all(copies))];
  const used = cpuMs(running.pids) - before;
  probe.postMessage("stop");
  const stall = await next(probe);
  await probe.terminate();
  agent.destroy();
  await clock.sleep(300);
  return { status: statuses.sort().join("+"), cpuMs: used, stall };
}

/** The next message of the probe. */
function next(probe: Worker): Promise<Stall> {
  return new Promise((done, fail) => probe.once("message", done).once("error", fail));
}

/** The status of the answer; 0 if there is none. */
function send(
  url: string,
  agent: Agent,
  { method, path, type = "application/json", accept = "application/json", body }: HostileRequest,
  more: Record<string, string>,
): Promise<number> {
  return new Promise((done) => {
    const headers = { "content-type": type, accept, ...more };
    const outgoing = request(`${url}${path}`, { method, agent, headers }, (response) => {
      response.resume();
      response.once("close", () => done(response.statusCode ?? 0));
    });
    outgoing.setTimeout(limitMs, () => outgoing.destroy());
    outgoing.on("error", () => done(0));
    outgoing.end(body?.());
  });
}

/** Processor time of processes (ms), from ticks of 10 ms. */
function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const fields = rest.split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10;
}

function cells({ status, cpuMs: used, stall }: Measured): string[] {
  return [status, used.toFixed(0), stall.waitMs.toFixed(0), stall.computedMs.toFixed(0)];
}

function printTable(): void {
  const names = contenders.map(({ name }) => name);
  print(
    `| request | ${names.map((name) => `${name}: status | CPU ms | stall ms | main thread ms`).join(" | ")} |`,
  );
  print(`|---|${names.map(() => "---|---|---|---").join("|")}|`);
  for (const [what, row] of results) {
    const shown = names.map((name) => {
      const measured = row.get(name);
      return measured ? cells(measured).join(" | ") : "– | – | – | –";
    });
    print(`| ${what} | ${shown.join(" | ")} |`);
  }
  for (const name of names) {
    const stalled = [...results.values()].filter(
      (row) => (row.get(name)?.stall.waitMs ?? 0) > 100,
    ).length;
    print(`${name}: ${stalled} of ${results.size} requests stall a GET by more than 100 ms`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
