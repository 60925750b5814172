import { connect } from "node:net";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { kubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { etcdClientPort } from "../base/etcd-settings.ts";
import { ownCommand } from "../base/own-command.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { agentServerFor, type ClusterSettings, localServer } from "../base/settings.ts";
import { etcdProgram } from "../etcd/member-launch.ts";
import { type FailingPart, failingParts } from "./failing-parts.ts";
import { lastError } from "./last-error.ts";
import { isReadySince } from "./ready-since.ts";
import { type ProgramState, type Supervisor, supervisorOf } from "./supervisor.ts";

/** Intervals (ms) between checks, at first and later: most conditions soon hold, and later checks cost less. */
const [firstIntervalMs, intervalMs] = [50, 250];

/** Time (ms) during which the first interval is used. */
const soonMs = 3_000;

/** Interval (ms) between checks of a program's state. */
const programCheckMs = 500;

/** Number of unexpected ends since its start after which a program counts as failed. */
const maxEnds = 2;

/** Duration (ms) of one watch of the node. */
const watchMs = 5_000;

/** Timeout (ms) of a connection. */
const connectMs = 1_000;

/** Timeout (ms) of a request for the API server's readiness. */
const requestMs = 5_000;

/** Number of lines at the end of a log that are searched for the reason. */
const readLines = 200;

interface Wait {
  readonly paths: ClusterPaths;
  readonly settings: Pick<ClusterSettings, "name">;
  /** The condition, in the words of the error message. */
  readonly what: string;
  /** The program that it depends on. */
  readonly program: string;
  readonly timeoutMs: number;
  readonly supervisor?: Supervisor;
  readonly clock?: Clock;
}

/** Repeats a check until it holds; throws the program's last error if that ends repeatedly, or on timeout. */
export async function eventually(wait: Wait, holds: () => Promise<boolean>): Promise<void> {
  const { paths, settings, what, program, timeoutMs, clock = systemClock } = wait;
  const { supervisor = supervisorOf(paths, settings.name) } = wait;
  const began = clock.monotonicMs();
  const sinceMs = clock.now();
  const first = await supervisor.state(program);
  let nextProgramCheck = began + programCheckMs;
  while (!(await holds())) {
    const now = clock.monotonicMs();
    if (now >= nextProgramCheck) {
      const state = await supervisor.state(program);
      if (state.ends >= maxEnds && state.ends > first.ends)
        throw await ended(wait, supervisor, state);
      const [failing] = failingParts(paths, program, sinceMs);
      if (failing) throw partFailed(wait, failing);
      nextProgramCheck = clock.monotonicMs() + programCheckMs;
    }
    if (now - began > timeoutMs) {
      const text = `${what} did not become ready within ${timeoutMs / 1000} s`;
      throw await failure(wait, supervisor, text);
    }
    await clock.sleep(now - began < soonMs ? firstIntervalMs : intervalMs);
  }
}

const ended = (wait: Wait, supervisor: Supervisor, { ends, lastEnd }: ProgramState) =>
  failure(wait, supervisor, `the ${wait.program} has ended ${ends} times (${lastEnd})`);

/** A part that can't start would be missing, even if the node gets ready. */
function partFailed({ settings }: Wait, { part, failures, error }: FailingPart): CommandFailure {
  const command = ownCommand(`logs ${part}`, settings.name);
  return new CommandFailure(`${part} has failed ${failures} times; see: ${command}\n  ${error}`);
}

async function failure({ program, settings }: Wait, supervisor: Supervisor, text: string) {
  const log: string[] = [];
  for await (const line of (await supervisor.openLog(program)).backward()) {
    if (line.startsWith("supervise: ")) continue;
    log.unshift(line);
    if (log.length === readLines) break;
  }
  const command = ownCommand(`logs ${program}`, settings.name);
  return new CommandFailure([`${text}; see: ${command}`, ...lastError(log)].join("\n  "));
}

/** Waits until the own member of etcd serves clients: it does once most members run. */
export async function memberReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  const { hostname: host } = new URL(localServer(settings));
  const what = settings.etcd?.joined ? "etcd, of which most members must run," : "etcd";
  const wait = { paths, settings, what, program: etcdProgram, timeoutMs };
  await eventually(wait, () => listens(plainHost(host), etcdClientPort));
}

/** Waits until the API server of this machine serves. */
export async function apiReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  const wait = { paths, settings, what: "the API server", program: "server", timeoutMs };
  const { hostname, port } = new URL(localServer(settings));
  await eventually(wait, async () => {
    // A check of the port is cheaper than a request.
    if (!(await listens(plainHost(hostname), Number(port || 443)))) return false;
    // Another program at the port may never respond.
    const limit = `--request-timeout=${requestMs / 1000}s`;
    const { code } = await kubectl(paths, ["get", "--raw", "/readyz", limit]);
    return code === 0;
  });
}

/** A URL has an address of IPv6 in brackets. */
const plainHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1");

/** True if a connection can be opened. */
function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/** Waits until the kubelet reports the node as Ready after a given time, not from an earlier run. */
export async function nodeReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { since, timeoutMs }: { readonly since: number; readonly timeoutMs: number },
): Promise<void> {
  const stop = new AbortController();
  let latest = "";
  const following = followNode(paths, settings, stop.signal, (line) => {
    latest = line;
  });
  const what = `node ${settings.nodeName}`;
  try {
    const wait = { paths, settings, what, program: "agent", timeoutMs };
    await eventually(wait, async () => isReadySince(latest, since));
  } finally {
    stop.abort();
    await following;
  }
}

/** Watches a node until the signal aborts; yields the status and heartbeat of the Ready condition. */
async function followNode(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
  onChange: (line: string) => void,
): Promise<void> {
  const access = `--kubeconfig=${accessFile(paths, "kubelet")}`;
  const server = `--server=${agentServerFor(settings)}`;
  const ready = '.status.conditions[?(@.type=="Ready")]';
  const output = `-o=jsonpath={${ready}.status} {${ready}.lastHeartbeatTime}{"\\n"}`;
  while (!signal.aborted) {
    const args = [access, server, "get", "node", settings.nodeName, "--watch", output];
    const onOutput = (text: string) => {
      const line = text.trimEnd().split("\n").at(-1);
      if (line) onChange(line);
    };
    // A watch ends with the server, or before there is a node; a silent one may have lost its connection.
    const late = new AbortController();
    using _timer = systemClock.setTimer(watchMs, () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    await kubectl(paths, args, { signal: either, onOutput }).catch(() => undefined);
    await systemClock.sleep(intervalMs, signal).catch(() => undefined);
  }
}
