import type { TestApiServer } from "#/testing/start-api-server.ts";
import { type Probe, put, remove, send } from "./requests.ts";

/** Elements in the large request; the small one has a quarter. */
const largeCount = 8_000;
const parts = 4;
/** Limit of the body (bytes): below the server's limit for JSON patches, 1 MiB. */
const maxBytes = 1_000_000;
/** Limit of the CPU time of one request (ms) on the main thread. */
export const maxCpuMs = 200;
/** Limit of the growth of the CPU time for four times the elements; linear is 4, quadratic 16. */
const maxGrowth = 6;
/** Requests faster than this (ms of CPU) are not compared: they are too short to measure. */
const noticedMs = 50;
/** Limit of the answer in times of the request, for answers over a size (bytes). */
const maxAnswerRatio = 16;
const noticedAnswerBytes = 512 * 1024;
const attempts = 3;

export interface Measurement {
  readonly name: string;
  readonly count: number;
  readonly status: number;
  readonly cpuMs: number;
  /** Times the CPU of a quarter; undefined where it was too fast to compare. */
  readonly growth?: number;
  /** Bytes of the answer per byte of the request. */
  readonly answerRatio: number;
  /** The reason why this is too slow; undefined if it is not. */
  readonly problem?: string;
}

/** Measures a request with many elements and, if it is slow, with a quarter of them. */
export async function measure(
  api: TestApiServer,
  probe: Probe,
  name: string,
): Promise<Measurement> {
  const count = fittingCount(probe);
  const large = await best(api, probe, count);
  const answerRatio = large.answerBytes / large.sentBytes;
  const found = { name, count, status: large.status, cpuMs: large.cpuMs, answerRatio };
  const excess =
    large.answerBytes > noticedAnswerBytes && answerRatio > maxAnswerRatio
      ? `answers ${large.answerBytes} bytes to ${large.sentBytes}`
      : undefined;
  if (large.cpuMs < noticedMs) return { ...found, ...(excess && { problem: excess }) };
  return { ...found, ...(await compare(api, probe, large.cpuMs, excess)) };
}

/** Compares with a quarter; what seems to be too slow is measured again. */
async function compare(
  api: TestApiServer,
  probe: Probe,
  firstMs: number,
  excess: string | undefined,
): Promise<Pick<Measurement, "cpuMs" | "growth" | "problem">> {
  const count = fittingCount(probe);
  let cpuMs = firstMs;
  let smallMs = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    smallMs = Math.max(smallMs, (await best(api, probe, Math.ceil(count / parts))).cpuMs);
    const problem = slowness(cpuMs, cpuMs / smallMs);
    const growth = cpuMs / smallMs;
    if (problem === undefined) return { cpuMs, growth, ...(excess && { problem: excess }) };
    if (cpuMs > maxCpuMs * 5) break;
    cpuMs = Math.min(cpuMs, (await best(api, probe, count)).cpuMs);
  }
  const growth = cpuMs / smallMs;
  const problem = slowness(cpuMs, growth) ?? excess;
  return { cpuMs, growth, ...(problem && { problem }) };
}

function slowness(cpuMs: number, growth: number): string | undefined {
  if (cpuMs > maxCpuMs) return `takes ${cpuMs.toFixed(0)} ms, growth ${growth.toFixed(1)}`;
  if (growth > maxGrowth) return `grows ${growth.toFixed(1)} times`;
  return undefined;
}

/** The fastest of some attempts; fast ones are not repeated. */
async function best(api: TestApiServer, probe: Probe, count: number) {
  const stored = probe.stored?.(count);
  if (stored) await put(api, probe.resource, stored);
  const request = probe.request(count);
  let fastest = await send(api, request);
  for (let attempt = 1; attempt < attempts && fastest.cpuMs >= noticedMs; attempt++) {
    if (fastest.cpuMs > maxCpuMs * 10) break;
    const next = await send(api, request);
    if (next.cpuMs < fastest.cpuMs) fastest = next;
  }
  if (stored) await remove(api, probe.resource, stored);
  return fastest;
}

/** The number of elements whose request is not too long. */
function fittingCount(probe: Probe): number {
  const sample = 64;
  const bytes = JSON.stringify(probe.request(sample).body ?? probe.request(sample).url).length;
  return Math.min(largeCount, Math.floor((maxBytes / bytes) * sample));
}
