import type { Growth, HostileParser } from "./hostile-parser.ts";

/** The size (bytes) that is compared with a 16th of it. */
const defaultBytes = 64 * 1024;
const parts = 16;
/** Inputs faster than this (ms of CPU) are not checked: they would not block a server. */
const noticedMs = 8;
/** Shorter measurements (ms of CPU) are noise: the kernel counts in steps of some milliseconds. */
const measuredMs = 40;
/**
 * Limit of the time of one large input, in times of 16 small ones: some is for caches and garbage.
 * Quadratic would be 16.
 */
const limitRatio = 5;
const attempts = 3;

/** Throws if the time of a parser grows faster than its input. Errors of the parser are allowed. */
export async function checkGrowth(parser: HostileParser, growth: Growth): Promise<void> {
  const bytes = parser.growthBytes ?? defaultBytes;
  const large = inputOf(growth, bytes);
  const onceMs = await cpuMs(parser, large, 1);
  if (onceMs < noticedMs) return;
  const small = inputOf(growth, bytes / parts);
  const times = Math.ceil(measuredMs / onceMs);
  let message: string | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    message = await compare(parser, large, small, times);
    if (message === undefined) return;
  }
  throw new Error(message);
}

/** The times, if the large input exceeds the limit. */
async function compare(parser: HostileParser, large: Buffer, small: Buffer, times: number) {
  const smallMs = await cpuMs(parser, small, times * parts);
  const largeMs = await cpuMs(parser, large, times);
  if (largeMs <= limitRatio * Math.max(smallMs, measuredMs / limitRatio)) return undefined;
  const one = `${times * parts} × ${small.length} bytes take ${smallMs.toFixed(0)} ms`;
  return `${one}, ${times} × ${large.length} take ${largeMs.toFixed(0)} ms`;
}

/** CPU time of this thread: other processes do not count. */
async function cpuMs(parser: HostileParser, input: Buffer, times: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let left = times; left > 0; left--) await run(parser, input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

async function run(parser: HostileParser, input: Buffer): Promise<void> {
  try {
    await parser.parse(Buffer.from(input));
  } catch {
    // Errors are checked with the other inputs.
  }
}

function inputOf(growth: Growth, bytes: number): Buffer {
  if (typeof growth !== "string") return Buffer.from(growth(bytes));
  return Buffer.from(growth.repeat(Math.ceil(bytes / Math.max(1, growth.length))));
}
