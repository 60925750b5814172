import { readFileSync } from "node:fs";
import { join } from "node:path";
import { logger } from "#/std/log/log.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { writeWhole } from "../base/write-file.ts";

const log = logger("cluster");

/** A part of a program that fails again and again, while the program and its other parts go on. */
export interface FailingPart {
  readonly part: string;
  /** Failures in a row (count). */
  readonly failures: number;
  readonly error: string;
}

/** The last failure of a part. */
interface Failed extends FailingPart {
  /** When it was, in milliseconds since 1970. */
  readonly atMs: number;
}

/** Failures in a row (count) from which on a part is reported: the first may be due to a restart. */
const reportedFailures = 2;
/** Time (ms) after which a part that has not failed again works: failed ones are restarted within half of it. */
const recentMs = 60_000;

const fileOf = (paths: ClusterPaths, program: string): string =>
  join(paths.run, `${program}.failing`);

/** Records the failures of a program's parts for `k8ts up` and `k8ts status`. */
export function recordFailures(
  paths: ClusterPaths,
  program: string,
  clock: Clock = systemClock,
): (failing: FailingPart) => void {
  const last = new Map<string, Failed>();
  let written = Promise.resolve();
  return (failing) => {
    last.set(failing.part, { ...failing, atMs: clock.now() });
    const text = JSON.stringify([...last.values()]);
    written = written
      .then(() => writeWhole(fileOf(paths, program), text))
      .catch((error: unknown) => log.error(error, "failed to record failing parts"));
  };
}

/** The parts of a program that have failed repeatedly, the last time after `sinceMs`; default is a minute ago. */
export function failingParts(
  paths: ClusterPaths,
  program: string,
  sinceMs: number = systemClock.now() - recentMs,
): FailingPart[] {
  return readFailures(fileOf(paths, program))
    .filter(({ failures, atMs }) => failures >= reportedFailures && atMs > sinceMs)
    .map(({ part, failures, error }) => ({ part, failures, error }));
}

function readFailures(file: string): readonly Failed[] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as readonly Failed[];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || error instanceof SyntaxError) return [];
    throw error;
  }
}
