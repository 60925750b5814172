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
  /** Whether it shows that it works, and is killed when it doesn't. */
  readonly sendsHeartbeats?: boolean;
}

export interface ProgramState {
  /** Undefined while it doesn't run. */
  readonly pid: number | undefined;
  /** Number of restarts after unexpected ends. It may be reset after a long run. */
  readonly ends: number;
  /** The reason of its last end: "code 1", "signal 9"; empty if it hasn't ended. */
  readonly lastEnd: string;
}

/** The log of a program, as it was when it was opened. */
export interface ProgramLog {
  /** Its lines from the last to the first, read on demand. */
  backward(): AsyncIterable<string>;
  /** Lines that are appended later, until the reader stops. */
  follow(): AsyncIterable<string>;
}

/** Keeps the programs of a cluster running: systemd, or a script per program on machines without it. */
export interface Supervisor {
  /** Whether the cluster starts with the machine. */
  readonly startsAtBoot: boolean;
  /** Registers the programs, before the first of them is started. */
  install(programs: readonly Program[]): Promise<void>;
  /** Starts a program, unless it runs, and returns before it is ready. */
  start(program: Program): Promise<void>;
  restart(program: Program): Promise<void>;
  /** Ends a program for good; its containers keep running. */
  stop(name: string): Promise<void>;
  /** Ends all remaining programs, after the Pods have ended. */
  stopAll(): Promise<void>;
  state(name: string): Promise<ProgramState>;
  /** True if a program was running when it or the machine was killed: its kernel objects may still exist. */
  mayHaveLeft(name: string): boolean;
  /** Removes the cluster from the start of the machine. */
  disable(): Promise<void>;
  /** Removes everything that install() has made, after all programs have ended. */
  uninstall(): Promise<void>;
  /** Programs that have a log. */
  logs(): Promise<readonly string[]>;
  openLog(name: string): Promise<ProgramLog>;
  /**
   * Repairs the supervision itself, until the signal aborts. Server and agent both do this. The programs are asked for at
   * each look, as a migration to another store changes them.
   */
  keep(programs: () => readonly Program[], signal: AbortSignal): Promise<void>;
}

/** The supervisor of a cluster on this machine. */
export function supervisorOf(paths: ClusterPaths, cluster: string): Supervisor {
  return hasSystemd()
    ? new SystemdSupervisor(paths, cluster)
    : new ScriptSupervisor(paths, systemClock);
}
