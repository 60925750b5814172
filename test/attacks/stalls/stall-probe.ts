import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock as clock } from "#/std/time/clock.ts";

/** The longest wait of a GET, and the longest time that the server's main thread computed during one. */
export interface Stall {
  readonly waitMs: number;
  readonly computedMs: number;
}

interface ProbeData {
  readonly url: string;
  readonly pid: number;
  readonly cert: Uint8Array;
  readonly key: Uint8Array;
  readonly rejectUnauthorized: boolean;
}

/** Time between two GETs (ms). */
const pauseMs = 5;

const { url, pid, cert, key, rejectUnauthorized } = workerData as ProbeData;
const agent = new Agent({
  keepAlive: true,
  cert: Buffer.from(cert),
  key: Buffer.from(key),
  rejectUnauthorized,
});
let isStopped = false;
parentPort?.once("message", () => {
  isStopped = true;
});
await get();
parentPort?.postMessage({ waitMs: 0, computedMs: 0 } satisfies Stall);
let waitMs = 0;
let computedMs = 0;
while (!isStopped) {
  const sentMs = clock.monotonicMs();
  const before = mainThreadMs();
  await get();
  waitMs = Math.max(waitMs, clock.monotonicMs() - sentMs);
  computedMs = Math.max(computedMs, mainThreadMs() - before);
  await clock.sleep(pauseMs);
}
parentPort?.postMessage({ waitMs, computedMs } satisfies Stall);
agent.destroy();

function get(): Promise<void> {
  return new Promise((done) => {
    const outgoing = request(`${url}/api/v1/namespaces/default`, { agent }, (response) => {
      response.resume();
      response.once("end", done);
    });
    outgoing.on("error", () => done());
    outgoing.end();
  });
}

/** Time that the main thread of the server has run (ms); 0 when the server has ended. */
function mainThreadMs(): number {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8");
    return Number(text.split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
