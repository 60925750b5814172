import { logger } from "#/std/log/log.ts";
import { type RunProgram, runProgram } from "#/std/process/run-program.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { findSettings } from "../base/settings.ts";
import { launcherOf } from "../release/versions.ts";
import { openTarget } from "./open-target.ts";
import { msUntilDue } from "./schedule.ts";

const log = logger("cluster");
/** How often the schedule is looked at (ms): it may change while the server runs, and snapshots may be removed. */
const checkMs = 30_000;
/** Limit of one snapshot (ms). */
const saveMs = 30 * 60_000;

/**
 * Makes snapshots by the cluster's schedule until the signal aborts. A failure is logged, and tried again at the next check.
 * Each is made by a process of its own: the server's memory does not grow, and LMDB is opened once per process.
 */
export async function keepSnapshots(
  paths: ClusterPaths,
  signal: AbortSignal,
  { clock = systemClock, run = runProgram }: { clock?: Clock; run?: RunProgram } = {},
): Promise<void> {
  const failed = (error: unknown, inARow: number): void => {
    // Each would fill the log.
    if (inARow === 1 || inARow % 120 === 0)
      log.error(error, "failed to make a scheduled snapshot", { inARow });
  };
  const work = () => snapshotIfDue(paths, { clock, run, signal });
  await repeat(work, { clock, everyMs: checkMs, firstAfterMs: checkMs, failed }, signal);
}

async function snapshotIfDue(
  paths: ClusterPaths,
  { clock, run, signal }: { readonly clock: Clock; run: RunProgram; signal: AbortSignal },
): Promise<void> {
  const settings = findSettings(paths);
  if (!settings?.snapshots) return;
  const { to, s3Credentials } = settings.snapshots;
  const target = await openTarget(paths, { to, s3Credentials });
  if (msUntilDue(settings.snapshots, await target.list(), clock.now()) > 0) return;
  const flags = ["--scheduled", `--name=${settings.name}`, `--data-dir=${paths.folder}`];
  const limits = { timeoutMs: saveMs, signal };
  const output = await run(launcherOf(paths), ["snapshot", "save", ...flags], "", limits);
  log.info("made a scheduled snapshot", { place: output.split("\n", 1)[0] });
}
