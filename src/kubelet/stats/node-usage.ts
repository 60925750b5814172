import { readFile } from "node:fs/promises";
import type { Clock } from "#/std/time/clock.ts";
import type { CgroupFilesystem } from "../cgroups/cgroup-filesystem.ts";

/** The current usage of the machine, or of a part of it. */
export interface Usage {
  readonly timeMs: number;
  readonly cpuNanoseconds: number;
  readonly cpuNanoCores: number;
  readonly memoryUsageBytes: number;
  readonly memoryWorkingSetBytes: number;
  readonly memoryRssBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
}

/**
 * Reads the usage of cgroups. Rates are computed from an earlier sample of at least a minimal age.
 *
 * Upstream: github.com/google/cadvisor/container/libcontainer/handler.go.
 */
export class CgroupUsage {
  readonly #filesystem: CgroupFilesystem;
  readonly #clock: Clock;
  readonly #samples = new Map<string, { timeMs: number; cpuNanoseconds: number; rate: number }>();

  constructor(filesystem: CgroupFilesystem, clock: Clock) {
    this.#filesystem = filesystem;
    this.#clock = clock;
  }

  async read(path: string): Promise<Usage> {
    const timeMs = this.#clock.now();
    const stat = parsePairs(await this.#text(path, "memory", "memory.stat"));
    const cpuNanoseconds = await this.#cpu(path);
    const usage = await this.#memory(path);
    const inactive = stat.get("total_inactive_file") ?? stat.get("inactive_file") ?? 0;
    return {
      timeMs,
      cpuNanoseconds,
      cpuNanoCores: this.#rate(path, cpuNanoseconds),
      memoryUsageBytes: usage,
      memoryWorkingSetBytes: Math.max(usage - inactive, 0),
      memoryRssBytes: stat.get("total_rss") ?? stat.get("rss") ?? stat.get("anon") ?? 0,
      pageFaults: stat.get("pgfault") ?? 0,
      majorPageFaults: stat.get("pgmajfault") ?? 0,
    };
  }

  async #cpu(path: string): Promise<number> {
    if (this.#filesystem.version === 1) {
      return Number((await this.#text(path, "cpuacct", "cpuacct.usage")) || 0);
    }
    const stat = parsePairs(await this.#text(path, "cpu", "cpu.stat"));
    return (stat.get("usage_usec") ?? 0) * 1000;
  }

  async #memory(path: string): Promise<number> {
    const file = this.#filesystem.version === 1 ? "memory.usage_in_bytes" : "memory.current";
    const text = await this.#text(path, "memory", file);
    if (text !== "") return Number(text);
    const meminfo = parsePairs(await readFile("/proc/meminfo", "utf8"));
    return ((meminfo.get("MemTotal:") ?? 0) - (meminfo.get("MemFree:") ?? 0)) * 1024;
  }

  async #text(path: string, controller: string, file: string): Promise<string> {
    return ((await this.#filesystem.read(path, controller, file)) ?? "").trim();
  }

  #rate(path: string, cpuNanoseconds: number): number {
    const timeMs = this.#clock.monotonicMs();
    const before = this.#samples.get(path);
    const elapsedMs = timeMs - (before?.timeMs ?? timeMs);
    if (before !== undefined && elapsedMs < minSampleMs) return before.rate;
    const used = cpuNanoseconds - (before?.cpuNanoseconds ?? cpuNanoseconds);
    const rate = elapsedMs > 0 ? Math.max(Math.round((used * 1000) / elapsedMs), 0) : 0;
    this.#samples.set(path, { timeMs, cpuNanoseconds, rate });
    for (const [key, sample] of this.#samples) {
      if (timeMs - sample.timeMs > maxSampleMs) this.#samples.delete(key);
    }
    return rate;
  }
}

/** Least time between two samples for a rate (ms): over less, rates are inaccurate. */
const minSampleMs = 1_000;
/** Limit of the age of a sample (ms): after it the cgroup is gone and its sample is dropped. */
const maxSampleMs = 10 * 60_000;

function parsePairs(text: string): Map<string, number> {
  return new Map(
    text.split("\n").map((line): [string, number] => {
      const [name = "", value] = line.trim().split(/\s+/);
      return [name, Number(value ?? 0)];
    }),
  );
}

/** Traffic of network interfaces, from /proc/net/dev. */
export async function readInterfaces() {
  const text = await readFile("/proc/net/dev", "utf8");
  return text
    .split("\n")
    .slice(2)
    .filter((line) => line.includes(":"))
    .map((line) => {
      const [name = "", counters = ""] = line.split(":");
      const numbers = counters.trim().split(/\s+/).map(Number);
      const [rxBytes = 0, , rxErrors = 0] = numbers;
      return {
        name: name.trim(),
        rxBytes,
        rxErrors,
        txBytes: numbers[8] ?? 0,
        txErrors: numbers[10] ?? 0,
      };
    })
    .filter(({ name }) => name !== "lo" && !name.startsWith("veth"));
}
