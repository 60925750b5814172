import { duration, readSettings, seconds, takeArgs, wholeNumber } from "./directive-words.ts";
import type { CacheClass, CacheConfig } from "./dns-config.ts";
import { CorefileError, type Directive } from "./read-corefile.ts";

/** CoreDNS' defaults, and the limit of the memory of one kind of answers (count). */
const defaults = {
  success: { capacity: 9984, maxSeconds: 3600, minSeconds: 5 },
  denial: { capacity: 9984, maxSeconds: 1800, minSeconds: 5 },
  failureSeconds: 5,
} as const;
const maxCapacity = 100_000;
const maxFailureSeconds = 300;

/** `cache [TTL] { … }`. */
export function readCache(plugin: Directive): CacheConfig {
  const [ttl] = takeArgs(plugin, 0, 1);
  let { success, denial }: { success: CacheClass; denial: CacheClass } = defaults;
  if (ttl !== undefined) {
    const maxSeconds = wholeNumber(plugin, ttl, { least: 1 });
    success = { ...success, maxSeconds };
    denial = { ...denial, maxSeconds };
  }
  let failureSeconds: number = defaults.failureSeconds;
  let prefetch: CacheConfig["prefetch"];
  let stale: CacheConfig["stale"];
  readSettings(plugin, {
    success: (line) => {
      success = cacheClass(line, success);
    },
    denial: (line) => {
      denial = cacheClass(line, denial);
    },
    servfail: (line) => {
      const [text = ""] = takeArgs(line, 1);
      failureSeconds = seconds(line, text);
      if (failureSeconds > maxFailureSeconds) {
        throw new CorefileError(line.line, `servfail is at most ${maxFailureSeconds}s`);
      }
    },
    disable: (line) => {
      const [kind, ...zones] = takeArgs(line, 1, Number.POSITIVE_INFINITY);
      if (kind !== "success" && kind !== "denial") {
        throw new CorefileError(line.line, "disable needs success or denial");
      }
      // The cluster's own zones are never cached, as they are in memory.
      if (zones.length > 0) return;
      if (kind === "success") success = { ...success, capacity: 0 };
      else denial = { ...denial, capacity: 0 };
    },
    prefetch: (line) => {
      prefetch = readPrefetch(line);
    },
    serve_stale: (line) => {
      stale = readStale(line);
    },
  });
  return { success, denial, failureSeconds, prefetch, stale };
}

function cacheClass(line: Directive, found: CacheClass): CacheClass {
  const [capacity = "", max, min] = takeArgs(line, 1, 3);
  const changed = {
    capacity: wholeNumber(line, capacity, { most: maxCapacity }),
    maxSeconds: max === undefined ? found.maxSeconds : wholeNumber(line, max),
    minSeconds: min === undefined ? found.minSeconds : wholeNumber(line, min),
  };
  return { ...changed, minSeconds: Math.min(changed.minSeconds, changed.maxSeconds) };
}

function readPrefetch(line: Directive): CacheConfig["prefetch"] {
  const [amount = "", gap = "1m", percentage = "10%"] = takeArgs(line, 1, 3);
  const [, percent = ""] = /^(\d+)%$/.exec(percentage) ?? [];
  return {
    amount: wholeNumber(line, amount),
    gapMs: duration(line, gap),
    percentage: wholeNumber(line, percent || percentage, { least: 10, most: 90 }),
  };
}

function readStale(line: Directive): CacheConfig["stale"] {
  const [time = "1h", mode = "immediate", ...rest] = takeArgs(line, 0, 4);
  if (mode !== "immediate" && mode !== "verify") {
    throw new CorefileError(
      line.line,
      `serve_stale has the modes immediate and verify, not ${mode}`,
    );
  }
  const isVerified = mode === "verify";
  if (!isVerified && rest.length > 1)
    throw new CorefileError(line.line, "serve_stale has too many arguments");
  const [verify = "0", ttl = "0"] = isVerified ? rest : ["0", rest[0]];
  return {
    forMs: duration(line, time),
    verifyMs: isVerified ? duration(line, verify) : undefined,
    ttl: seconds(line, ttl),
  };
}
