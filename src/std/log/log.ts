import type { Clock } from "../time/clock.ts";
import { Loggers } from "./loggers.ts";

/** Keys and values of a log line; a function is called only if the line is written. */
export type Fields = Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>);

/** The log of one component. No method throws; a suppressed line costs a comparison. */
export interface Logger {
  /** Whether v(level, …) writes anything. */
  enabled(level: number): boolean;
  /** Always written. */
  info(message: string, fields?: Fields): void;
  /** Written with `--v` at this level or above: 2 steady state, 4 debugging, 6 requests. */
  v(level: number, message: string, fields?: Fields): void;
  warning(message: string, fields?: Fields): void;
  error(error: unknown, message: string, fields?: Fields): void;
  /** A logger that adds these fields to each line. */
  with(fields: Readonly<Record<string, unknown>>): Logger;
}

export interface LogOptions {
  /** `--v`; default 0. */
  readonly verbosity?: number;
  /** `--vmodule`: levels by component, overriding verbosity; see parseVmodule. */
  readonly vmodule?: readonly VmoduleRule[];
  /** `--logging-format`; default text. */
  readonly format?: "text" | "json";
  /** Whether lines other than errors are written to standard output; default false. */
  readonly splitStream?: boolean;
  /** Destination of lines; default standard error. */
  readonly write?: (line: string) => void;
  readonly clock?: Clock;
  readonly pid?: number;
}

/** The level of the components whose name matches a pattern with `*` and `?`. */
export interface VmoduleRule {
  readonly pattern: string;
  readonly level: number;
}

const processLog = new Loggers();

/** The log of a component, e.g. `const log = logger("kubelet")` at the head of a file. */
export function logger(component: string): Logger {
  return processLog.logger(component);
}

/** Sets the level, format and destination of all loggers of this process. */
export function configureLogging(options: LogOptions): void {
  processLog.configure(options);
}

/** Parses the value of `--vmodule`, e.g. `kubelet=4,*-controller=2`. */
export function parseVmodule(value: string): VmoduleRule[] {
  return value
    .split(",")
    .filter((rule) => rule !== "")
    .map((rule) => {
      const match = /^([^=]+)=(\d+)$/.exec(rule);
      if (!match) throw new SyntaxError(`"${rule}" does not have the pattern=N format`);
      return { pattern: match[1] ?? "", level: Number(match[2]) };
    });
}
