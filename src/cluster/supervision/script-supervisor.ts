import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { linesBackward } from "./lines-backward.ts";
import {
  findProcess,
  isStopping,
  isSupervised,
  knownProcesses,
  stopProcess,
  supervise,
} from "./processes.ts";
import { inStopOrder } from "./program-names.ts";
import type { Program, ProgramLog, ProgramState, Supervisor } from "./supervisor.ts";

const log = logger("cluster");
const checkMs = 10_000;
/** Limit of a log (bytes): it is then rotated, and two files per program are kept. */
const maxLogBytes = 64 * 2 ** 20;

/** Runs each program under a script of our own, on machines without systemd: see supervise.sh. */
export class ScriptSupervisor implements Supervisor {
  readonly startsAtBoot = false;
  readonly #paths: ClusterPaths;
  readonly #clock: Clock;

  constructor(paths: ClusterPaths, clock: Clock) {
    this.#paths = paths;
    this.#clock = clock;
  }

  async install(): Promise<void> {
    // A script needs no preparation.
  }

  async start(program: Program): Promise<void> {
    if (findProcess(this.#paths, program.name) === undefined) supervise(this.#paths, program);
  }

  async restart(program: Program): Promise<void> {
    await this.stop(program.name);
    supervise(this.#paths, program);
  }

  async stop(name: string): Promise<void> {
    await stopProcess(this.#paths, name, this.#clock);
  }

  async stopAll(): Promise<void> {
    for (const name of inStopOrder(knownProcesses(this.#paths))) await this.stop(name);
  }

  async state(name: string): Promise<ProgramState> {
    const { ends, lastEnd } = readEnds(join(this.#paths.run, `${name}.ends`));
    return { pid: findProcess(this.#paths, name), ends, lastEnd };
  }

  mayHaveLeft(name: string): boolean {
    return knownProcesses(this.#paths).includes(name);
  }

  async disable(): Promise<void> {
    // It is never started at boot.
  }

  async uninstall(): Promise<void> {
    // All files are in the cluster's folder.
  }

  async logs(): Promise<readonly string[]> {
    if (!existsSync(this.#paths.log)) return [];
    return readdirSync(this.#paths.log).flatMap((file) => /^(.+)\.log$/.exec(file)?.[1] ?? []);
  }

  async openLog(name: string): Promise<ProgramLog> {
    const file = join(this.#paths.log, `${name}.log`);
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    return { backward: () => backward(file, size), follow: () => follow(file, size) };
  }

  /** Restarts supervisors that were killed, and rotates logs. */
  async keep(programs: () => readonly Program[], signal: AbortSignal): Promise<void> {
    const look = async () => {
      for (const one of programs()) {
        if (!isStopping(this.#paths) && !isSupervised(this.#paths, one.name)) {
          supervise(this.#paths, one);
        }
        await boundLog(join(this.#paths.log, `${one.name}.log`));
      }
    };
    const failed = (error: unknown) => log.error(error, "failed to repair supervision of programs");
    const times = { clock: this.#clock, everyMs: checkMs, firstAfterMs: checkMs };
    await repeat(look, { ...times, failed }, signal);
  }
}

/** The log, then the rotated one. */
async function* backward(file: string, size: number): AsyncGenerator<string> {
  yield* linesBackward(file, size);
  const old = oldLog(file);
  const { size: oldSize } = await stat(old).catch(() => ({ size: 0 }));
  yield* linesBackward(old, oldSize);
}

async function* follow(file: string, size: number): AsyncGenerator<string> {
  const args = ["-F", "-c", `+${size + 1}`, file];
  const child = spawn("tail", args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    yield* createInterface(child.stdout);
  } finally {
    child.kill();
  }
}

const oldLog = (file: string): string => `${file}.1`;

/** The counters of the script: "ENDS CODE". */
function readEnds(file: string): { readonly ends: number; readonly lastEnd: string } {
  if (!existsSync(file)) return { ends: 0, lastEnd: "" };
  const [ends = "0", code = ""] = readFileSync(file, "utf8").trim().split(/ +/);
  const how = Number(code) > 128 ? `signal ${Number(code) - 128}` : `code ${code}`;
  return { ends: Number(ends), lastEnd: how };
}

async function boundLog(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= maxLogBytes) return;
  await copyFile(path, oldLog(path));
  await truncate(path);
}
