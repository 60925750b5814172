/** Upstream: pkg/volume/metrics_du.go, pkg/volume/util/fs/fs.go. */

import { limitConcurrency } from "#/std/async/limit-concurrency.ts";
import { ProgramError, type RunProgram, runProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";

/** The usage of a directory. */
interface Usage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

interface DiskUsageOptions {
  readonly clock: Clock;
  readonly run?: RunProgram;
}

/** How long a measurement is cached (ms): upstream's period. */
const maxAgeMs = 60_000;
/** Limit of measurements at a time: each reads a whole tree from disk. */
const maxAtOnce = 2;
/** Limit of the time (ms) of one measurement. */
const timeoutMs = 5 * 60_000;

interface Entry {
  untilMs: number;
  /** The last measurement. */
  usage: Usage | undefined;
  /** The measurement under way. */
  measuring: Promise<Usage> | undefined;
}

/** Measures directories that share their file system with others, with `du`: the length of paths does not matter. */
export class DiskUsage {
  readonly #clock: Clock;
  readonly #run: RunProgram;
  readonly #inTurn = limitConcurrency(maxAtOnce);
  readonly #entries = new Map<string, Entry>();

  constructor({ clock, run = runProgram }: DiskUsageOptions) {
    this.#clock = clock;
    this.#run = run;
  }

  /** The usage of a directory, at most a minute old; concurrent calls share one measurement. */
  async get(directory: string): Promise<Usage> {
    const entry = this.#refreshed(directory);
    return entry.measuring ?? entry.usage ?? this.#measure(directory);
  }

  /** The last measurement, undefined before the first one; another one is started when it is too old. */
  latest(directory: string): Usage | undefined {
    const entry = this.#refreshed(directory);
    entry.measuring?.catch(() => undefined);
    return entry.usage;
  }

  #refreshed(directory: string): Entry {
    const nowMs = this.#clock.monotonicMs();
    const entry = this.#entries.get(directory) ?? {
      untilMs: nowMs,
      usage: undefined,
      measuring: undefined,
    };
    if (entry.measuring || nowMs < entry.untilMs) return entry;
    this.#dropOld(nowMs);
    this.#entries.set(directory, entry);
    entry.measuring = this.#inTurn(() => this.#measure(directory))
      .then((usage) => {
        entry.usage = usage;
        return usage;
      })
      .finally(() => {
        entry.measuring = undefined;
        entry.untilMs = this.#clock.monotonicMs() + maxAgeMs;
      });
    return entry;
  }

  /** Forgets directories that are not asked for any more. */
  #dropOld(nowMs: number): void {
    for (const [key, { untilMs, measuring }] of this.#entries) {
      if (!measuring && untilMs + maxAgeMs < nowMs) this.#entries.delete(key);
    }
  }

  async #measure(directory: string): Promise<Usage> {
    const du = async (...unit: string[]): Promise<number> => {
      const args = ["-s", "-x", ...unit, "--", directory];
      const total = await this.#run("du", args, "", { timeoutMs }).catch(incompleteTotal);
      return Number.parseInt(total, 10);
    };
    return { usedBytes: await du("-B", "1"), inodesUsed: await du("--inodes") };
  }
}

/** The total without the files that disappeared during the measurement: a Pod can always have some that do. */
function incompleteTotal(error: unknown): string {
  if (error instanceof ProgramError && error.exitCode === 1 && /^\d+\t/.test(error.stdout)) {
    return error.stdout;
  }
  throw error;
}
