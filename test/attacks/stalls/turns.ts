/**
 * Measures the turns of the event loop that requests take, in this process: `node test/attacks/stalls/turns.ts
 * [--only TEXT] [--limit MS]`. For each request: its status, the CPU time of all its turns, that of the longest, and
 * what the turns over the limit were computing. CPU time of the thread: other programs of the machine don't change it.
 */
import { parseArgs } from "node:util";
import { startGrowthServer } from "../growth/server.ts";
import {
  type HostileRequest,
  hostileRequests,
  listedMap,
  surroundings,
} from "./hostile-requests.ts";
import { measureTurns } from "./measure-turns.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, limit: text } });
const limitMs = Number(values.limit ?? 50);
const listed = 5_000;

await using api = await startGrowthServer();
for (const [path, body] of surroundings) await api.call("POST", path, body);
for (let index = 0; index < listed && values.only === undefined; index++) {
  await api.call("POST", "/api/v1/namespaces/many/configmaps", listedMap(index));
}
const requests: readonly HostileRequest[] = hostileRequests;
let worstMs = 0;
for (const one of requests.filter(({ name }) => name.includes(values.only ?? ""))) {
  const { longestMs, totalMs, status, frames } = await measureTurns(api, one, limitMs);
  worstMs = Math.max(worstMs, longestMs);
  process.stdout.write(
    `${longestMs.toFixed(0).padStart(5)} of ${totalMs.toFixed(0).padStart(5)} ms  ${status} ${one.name}\n`,
  );
  for (const frame of frames) process.stdout.write(`        ${frame}\n`);
}
if (worstMs > limitMs) process.exitCode = 1;
