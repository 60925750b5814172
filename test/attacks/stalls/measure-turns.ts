import { type Profiler, Session } from "node:inspector/promises";
import { nextTurn } from "#/std/time/clock.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import type { HostileRequest } from "./hostile-requests.ts";

/** The turns of the event loop that a request took. */
export interface MeasuredTurns {
  readonly status: string;
  /** CPU time of the longest (ms). */
  readonly longestMs: number;
  /** CPU time of all (ms). */
  readonly totalMs: number;
  /** Functions of the turns over the limit, each with its time: the stack where it branches. */
  readonly frames: readonly string[];
}

interface Turn {
  readonly startUs: number;
  readonly endUs: number;
  readonly cpuMs: number;
}

/** Turns that are shorter (ms of CPU) do nothing but wait for another thread. */
const noticedMs = 0.2;
/** Time between two samples (µs). */
const samplingUs = 500;
/** Limit of the time of a function that is shown, as part of its turn. */
const shownPart = 0.12;

/** Sends a request to a server in this process and measures each turn until it is answered. */
export async function measureTurns(
  api: TestApiServer,
  {
    method,
    path,
    type = "application/json",
    accept = "application/json",
    body,
    copies = 1,
  }: HostileRequest,
  limitMs: number,
): Promise<MeasuredTurns> {
  const bytes = Buffer.from(body?.() ?? "");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: samplingUs });
  await session.post("Profiler.start");
  const turns = watchTurns();
  const headers = { "content-type": type, accept };
  const answers = await Promise.all(
    Array.from({ length: copies }, () => api.call(method, path, bytes, { headers })),
  );
  const measured = turns.stop();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  const long = measured.filter(({ cpuMs }) => cpuMs > limitMs);
  return {
    status: [...new Set(answers.map(({ status }) => status))].join("+"),
    longestMs: Math.max(0, ...measured.map(({ cpuMs }) => cpuMs)),
    totalMs: measured.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    frames: long.flatMap((turn) => [
      `turn of ${turn.cpuMs.toFixed(0)} ms`,
      ...explain(profile, turn),
    ]),
  };
}

/** Measures from one immediate to the next. */
export function watchTurns(): { stop(): Turn[] } {
  const turns: Turn[] = [];
  let isStopped = false;
  let startUs = nowUs();
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const endUs = nowUs();
    const cpuMs = (user + system) / 1000;
    if (cpuMs > noticedMs) turns.push({ startUs, endUs, cpuMs });
    startUs = endUs;
  };
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      await nextTurn();
      look();
    }
  };
  void watch();
  return {
    stop() {
      isStopped = true;
      look();
      return turns;
    },
  };
}

/** The profiler's clock. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** The functions of a turn with most of its time, by stack. */
function explain(profile: Profiler.Profile, { startUs, endUs }: Turn): string[] {
  const parents = new Map<number, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id);
  }
  const times = new Map<number, number>();
  let atUs = profile.startTime;
  let totalUs = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const deltaUs = profile.timeDeltas?.[index] ?? 0;
    atUs += deltaUs;
    if (atUs < startUs || atUs > endUs) continue;
    totalUs += deltaUs;
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node)) {
      times.set(node, (times.get(node) ?? 0) + deltaUs);
    }
  }
  const lines: string[] = [];
  const show = (id: number, depth: number): void => {
    const node = nodes.get(id);
    const ownUs = times.get(id) ?? 0;
    if (!node || ownUs < totalUs * shownPart || depth > 25) return;
    const { functionName, url, lineNumber } = node.callFrame;
    const file = url.slice(url.lastIndexOf("/") + 1);
    const kept = (node.children ?? []).filter((child) => (times.get(child) ?? 0) >= ownUs * 0.85);
    const isOurs = !url.startsWith("node:") && functionName !== "(root)";
    if (isOurs && (kept.length === 0 || file.includes("ts"))) {
      const name = functionName === "" ? "(anonymous)" : functionName;
      lines.push(
        `${" ".repeat(depth)}${(ownUs / 1000).toFixed(0)} ms ${name} ${file}:${lineNumber + 1}`,
      );
    }
    for (const child of node.children ?? []) show(child, depth + (isOurs ? 1 : 0));
  };
  show(profile.nodes[0]?.id ?? 0, 0);
  return lines;
}
