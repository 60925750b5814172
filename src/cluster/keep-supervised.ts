import { copyFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/clock.ts";
import { logger } from "#/std/log.ts";
import { repeat } from "#/std/repeat.ts";
import type { ClusterPaths } from "./paths.ts";
import { isStopping, isSupervised, supervise } from "./processes.ts";
import { programs } from "./programs.ts";
import type { ClusterSettings } from "./settings.ts";

const log = logger("cluster");
const checkMs = 10_000;
/** A log is put aside, and begun anew, when it is longer: two of them per program are kept. */
const maxLogBytes = 64 * 2 ** 20;

/** Starts supervisors again that were killed, and keeps logs bounded. Server and agent both do, each for the other too. */
export async function keepSupervised(
  paths: ClusterPaths,
  settings: ClusterSettings,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const all = programs(paths, settings);
  const look = async () => {
    for (const one of all) {
      if (!isStopping(paths) && !isSupervised(paths, one.name)) supervise(paths, one);
      await boundLog(join(paths.log, `${one.name}.log`));
    }
  };
  const failed = (error: unknown) => log.error(error, "looking after programs failed");
  await repeat(look, { clock, everyMs: checkMs, firstAfterMs: checkMs, failed }, signal);
}

async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= maxLogBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}
