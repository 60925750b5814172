import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { writeWhole } from "../base/write-file.ts";
import { programRoot } from "../release/versions.ts";
import type { Program } from "./supervisor.ts";
import { watchedCommand } from "./watched-command.ts";

const superviseScript = "src/cluster/supervision/supervise.sh";

/** Starts the supervisor of a process, unless it runs already. */
export function supervise(paths: ClusterPaths, program: Program): void {
  const command = watchedCommand(paths, program);
  spawn(join(programRoot(paths), superviseScript), [paths.folder, program.name, ...command], {
    detached: true,
    stdio: "ignore",
  }).unref();
}

/** The id of a process of a cluster; undefined if it doesn't run. */
export function findProcess(paths: ClusterPaths, name: string): number | undefined {
  const [pid = "", started = ""] = readIfThere(join(paths.run, `${name}.pid`)).split(/ +/);
  return started !== "" && startOf(pid) === started ? Number(pid) : undefined;
}

/** The trimmed text of a file; "" if it is missing, as a supervisor removes its file when it ends. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Start time of a process, in ticks since boot; with its id it identifies the process. */
function startOf(pid: string): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command's name, in parentheses, may contain blanks.
    const [state = "", ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // A process that has ended stays a zombie until its parent, maybe process 1, has waited for it.
    return state === "Z" || state === "X" ? undefined : rest[18];
  } catch {
    return undefined; // It has ended.
  }
}

/** Whether a supervisor keeps the process running. */
export function isSupervised(paths: ClusterPaths, name: string): boolean {
  return findSupervisor(paths, name) !== undefined;
}

function findSupervisor(paths: ClusterPaths, name: string): number | undefined {
  const pid = readIfThere(join(paths.run, `${name}.supervisor.pid`));
  return pid !== "" && commandOf(pid).includes("supervise.sh") ? Number(pid) : undefined;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}

/** Grace period (ms) of a process before it is killed. */
const gracefulStopMs = 15_000;

/** Ends a process for good: its supervisor first, so that it isn't restarted. */
export async function stopProcess(
  paths: ClusterPaths,
  name: string,
  clock: Clock = systemClock,
): Promise<void> {
  const supervisor = findSupervisor(paths, name);
  if (supervisor !== undefined) signal(supervisor, "SIGTERM");
  // The supervisor may be starting the process just now, and records its id before it ends.
  const left = clock.monotonicMs() + gracefulStopMs;
  while (isSupervised(paths, name) && clock.monotonicMs() < left) await clock.sleep(20);
  const pid = findProcess(paths, name);
  if (pid !== undefined) {
    signal(pid, "SIGTERM");
    const deadline = clock.monotonicMs() + gracefulStopMs;
    while (findProcess(paths, name) !== undefined) {
      if (clock.monotonicMs() > deadline) signal(pid, "SIGKILL");
      await clock.sleep(20);
    }
  }
  // The lock stays, so that a supervisor that starts late finds it.
  for (const ending of ["pid", "supervisor.pid", "ends"]) {
    await rm(join(paths.run, `${name}.${ending}`), { force: true });
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const stoppingFile = (paths: ClusterPaths): string => join(paths.run, "stopping");

/** While a cluster is being stopped, none of its processes restarts another. */
export async function setStopping(paths: ClusterPaths, isStopping: boolean): Promise<void> {
  if (!isStopping) await rm(stoppingFile(paths), { force: true });
  else if (existsSync(paths.run)) await writeWhole(stoppingFile(paths), "");
}

export const isStopping = (paths: ClusterPaths): boolean => existsSync(stoppingFile(paths));

/** The processes of a cluster, including those recorded before it was killed. */
export function knownProcesses(paths: ClusterPaths): string[] {
  if (!existsSync(paths.run)) return [];
  return readdirSync(paths.run)
    .filter((file) => file.endsWith(".pid") && !file.endsWith(".supervisor.pid"))
    .map((file) => file.slice(0, -".pid".length));
}
