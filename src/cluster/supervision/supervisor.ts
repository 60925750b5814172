import { systemClock } from "#/std/time/clock.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { hasSystemd } from "../machine/systemd.ts";
import { ScriptSupervisor } from "./script-supervisor.ts";
import { SystemdSupervisor } from "./systemd-supervisor.ts";

/** A program that a cluster keeps running in the background. */
export interface Program {
  /** The name of its log, its unit, or the files that hold its process id. */
  readonly name: string;
  readonly command: readonly string[];
}

export interface ProgramState {
  /** Undefined while it doesn't run. */
  readonly pid: number | undefined;
  /** How often it has ended by itself and was started again. It may begin at 0 again after a long life. */
  readonly ends: number;
  /** How it ended last: "code 1", "signal 9"; empty if it hasn't. */
  readonly lastEnd: string;
}

/** The log of a program, as it was when it was opened. */
export interface ProgramLog {
  /** Its lines from the last to the first, read as they are asked for. */
  backward(): AsyncIterable<string>;
  /** Lines that are added after those, until the reader stops. */
  follow(): AsyncIterable<string>;
}

/** What keeps the programs of a cluster running: systemd, or where it doesn't run the machine, a script per program. */
export interface Supervisor {
  /** Whether the cluster starts with the machine. */
  readonly startsAtBoot: boolean;
  /** Makes the programs known, before the first of them is started. */
  install(programs: readonly Program[]): Promise<void>;
  /** Starts a program, unless it runs, and returns before it is ready. */
  start(program: Program): Promise<void>;
  restart(program: Program): Promise<void>;
  /** Ends a program for good; containers that it holds go on. */
  stop(name: string): Promise<void>;
  /** Ends all programs that are left, when the Pods are gone. */
  stopAll(): Promise<void>;
  state(name: string): Promise<ProgramState>;
  /** Whether a program was running when it or the machine was killed: what it set up may be there still. */
  mayHaveLeft(name: string): boolean;
  /** The cluster doesn't start with the machine any more. */
  disable(): Promise<void>;
  /** Removes all that install() has made, once nothing runs. */
  uninstall(): Promise<void>;
  /** Programs that have a log. */
  logs(): Promise<readonly string[]>;
  openLog(name: string): Promise<ProgramLog>;
  /** Heals supervision itself, until the signal aborts. Server and agent both do this. */
  keep(programs: readonly Program[], signal: AbortSignal): Promise<void>;
}

/** The supervisor of a cluster on this machine. */
export function supervisorOf(paths: ClusterPaths, cluster: string): Supervisor {
  return hasSystemd()
    ? new SystemdSupervisor(paths, cluster)
    : new ScriptSupervisor(paths, systemClock);
}
