import { connect } from "node:net";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { kubectl } from "../access/kubectl.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { accessFile, type ClusterPaths } from "../base/paths.ts";
import { type ClusterSettings, localServer } from "../base/settings.ts";
import { lastError } from "./last-error.ts";
import { isReadySince } from "./ready-since.ts";
import { type ProgramState, type Supervisor, supervisorOf } from "./supervisor.ts";

/** Between two looks at whether something is ready: it often is at once, and a busy machine has other things to do. */
const [firstLookMs, lookMs] = [50, 250];

/** For how long what is waited for is expected at any moment. */
const soonMs = 3_000;

/** Between two looks at how a program is doing. */
const programLookMs = 500;

/** A program that has ended as often by itself since it was started, and goes on so, won't get ready. */
const maxEnds = 2;

/** How long one watch of the node lasts. */
const watchMs = 5_000;

/** How long a connection may take to be made. */
const connectMs = 1_000;

/** How long the API server may take to say that it is ready. */
const requestMs = 5_000;

/** Lines at the end of a log among which the reason is looked for. */
const readLines = 200;

interface Wait {
  readonly paths: ClusterPaths;
  readonly settings: Pick<ClusterSettings, "name">;
  /** What is waited for, in the words of the error message. */
  readonly what: string;
  /** The program that brings it about. */
  readonly program: string;
  readonly timeoutMs: number;
  readonly supervisor?: Supervisor;
  readonly clock?: Clock;
}

/** Looks until something holds; ends with the program's own words if that ends by itself again and again, or time is up. */
export async function eventually(wait: Wait, holds: () => Promise<boolean>): Promise<void> {
  const { paths, settings, what, program, timeoutMs, clock = systemClock } = wait;
  const { supervisor = supervisorOf(paths, settings.name) } = wait;
  const began = clock.monotonicMs();
  const first = await supervisor.state(program);
  let nextProgramLook = began + programLookMs;
  while (!(await holds())) {
    const now = clock.monotonicMs();
    if (now >= nextProgramLook) {
      const state = await supervisor.state(program);
      if (state.ends >= maxEnds && state.ends > first.ends)
        throw await ended(wait, supervisor, state);
      nextProgramLook = clock.monotonicMs() + programLookMs;
    }
    if (now - began > timeoutMs) {
      const text = `${what} did not become ready within ${timeoutMs / 1000} s`;
      throw await failure(wait, supervisor, text);
    }
    await clock.sleep(now - began < soonMs ? firstLookMs : lookMs);
  }
}

const ended = (wait: Wait, supervisor: Supervisor, { ends, lastEnd }: ProgramState) =>
  failure(wait, supervisor, `the ${wait.program} has ended ${ends} times (${lastEnd})`);

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

/** Waits until the API server of this machine serves. */
export async function apiReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  timeoutMs: number,
): Promise<void> {
  const wait = { paths, settings, what: "the API server", program: "server", timeoutMs };
  const { hostname, port } = new URL(localServer(settings));
  await eventually(wait, async () => {
    // A probe of the port costs far less than a request.
    if (!(await listens(hostname, Number(port || 443)))) return false;
    // Another program that has the port may never answer.
    const limit = `--request-timeout=${requestMs / 1000}s`;
    const { code } = await kubectl(paths, ["get", "--raw", "/readyz", limit]);
    return code === 0;
  });
}

/** Whether a connection can be made. */
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

/** Waits for the node to be Ready, as its kubelet has said after a time, not in an earlier life. */
export async function nodeReady(
  paths: ClusterPaths,
  settings: ClusterSettings,
  { since, timeoutMs }: { readonly since: number; readonly timeoutMs: number },
): Promise<void> {
  const stop = new AbortController();
  let latest = "";
  const following = followNode(paths, settings.nodeName, stop.signal, (line) => {
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

/** Watches a node until the signal aborts; each time the Ready condition's status and heartbeat are given. */
async function followNode(
  paths: ClusterPaths,
  nodeName: string,
  signal: AbortSignal,
  onChange: (line: string) => void,
): Promise<void> {
  const access = `--kubeconfig=${accessFile(paths, "kubelet")}`;
  const ready = '.status.conditions[?(@.type=="Ready")]';
  const output = `-o=jsonpath={${ready}.status} {${ready}.lastHeartbeatTime}{"\\n"}`;
  while (!signal.aborted) {
    const args = [access, "get", "node", nodeName, "--watch", output];
    const onOutput = (text: string) => {
      const line = text.trimEnd().split("\n").at(-1);
      if (line) onChange(line);
    };
    // It ends when the server does, or before there is a node; one that is silent may have lost its connection.
    const late = new AbortController();
    using _timer = systemClock.setTimer(watchMs, () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    await kubectl(paths, args, { signal: either, onOutput }).catch(() => undefined);
    await systemClock.sleep(lookMs, signal).catch(() => undefined);
  }
}
