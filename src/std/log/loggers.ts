import { systemClock } from "../time/clock.ts";
import type { Fields, Logger, LogOptions } from "./log.ts";
import { activeComponent } from "./log-as.ts";
import {
  errorMessage,
  formatJson,
  formatText,
  type LogFormat,
  type Severity,
} from "./log-format.ts";

/** A set of loggers with one configuration. Programs use the one behind logger(). */
export class Loggers {
  #options: Required<LogOptions>;
  #format: LogFormat = formatText;
  readonly #thresholds = new Map<string, { level: number }>();

  constructor(options: LogOptions = {}) {
    this.#options = { ...defaults, ...options };
    this.configure(options);
  }

  /** Changes the given options and keeps the others; existing loggers follow. */
  configure(options: LogOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#format = this.#options.format === "json" ? formatJson : formatText;
    for (const [name, threshold] of this.#thresholds) threshold.level = this.#levelOf(name);
  }

  logger(name: string): Logger {
    return this.#logger(name, {});
  }

  #logger(name: string, base: Readonly<Record<string, unknown>>): Logger {
    const threshold = this.#threshold(name);
    const write = (entry: Entry, caller: CallerOf): void => this.#write(name, base, entry, caller);
    const self: Logger = {
      enabled: (level) => level <= threshold.level,
      info(message, fields) {
        write({ severity: "info", level: 0, message, fields }, self.info);
      },
      v(level, message, fields) {
        if (level <= threshold.level) write({ severity: "info", level, message, fields }, self.v);
      },
      warning(message, fields) {
        write({ severity: "warning", level: 0, message, fields }, self.warning);
      },
      error(error, message, fields) {
        write({ severity: "error", level: 0, message, fields, error }, self.error);
      },
      with: (fields) => this.#logger(name, { ...base, ...fields }),
    };
    return self;
  }

  #write(
    logger: string,
    base: Readonly<Record<string, unknown>>,
    entry: Entry,
    caller: CallerOf,
  ): void {
    const { clock, pid, splitStream, write } = this.#options;
    const fields = { ...base, ...evaluate(entry.fields) };
    const component = activeComponent();
    const place = { time: clock.now(), pid, logger, component, caller: callerOf(caller) };
    const line = this.#format({ ...entry, ...place, fields });
    if (splitStream && entry.severity !== "error") process.stdout.write(line);
    else write(line);
  }

  #threshold(name: string): { level: number } {
    let threshold = this.#thresholds.get(name);
    if (!threshold) {
      threshold = { level: this.#levelOf(name) };
      this.#thresholds.set(name, threshold);
    }
    return threshold;
  }

  #levelOf(name: string): number {
    const rule = this.#options.vmodule.find(({ pattern }) => matches(pattern, name));
    return rule?.level ?? this.#options.verbosity;
  }
}

interface Entry {
  readonly severity: Severity;
  readonly level: number;
  readonly message: string;
  readonly fields: Fields | undefined;
  readonly error?: unknown;
}

/** A method of Logger: the frame below it is the caller. */
type CallerOf = Logger["info" | "v" | "warning" | "error"];

const defaults: Required<LogOptions> = {
  verbosity: 0,
  vmodule: [],
  format: "text",
  splitStream: false,
  write: writeToStderr,
  clock: systemClock,
  pid: process.pid,
};

function matches(pattern: string, name: string): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${source.replaceAll("?", ".")}$`).test(name);
}

function evaluate(fields: Fields | undefined): Readonly<Record<string, unknown>> | undefined {
  if (typeof fields !== "function") return fields;
  try {
    return fields();
  } catch (error) {
    return { fieldsError: errorMessage(error) };
  }
}

function callerOf(below: CallerOf): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, below);
  Error.stackTraceLimit = limit;
  return /([^()\s]+:\d+):\d+\)?$/.exec(here.stack ?? "")?.[1] ?? "???:1";
}

let stderrGuarded = false;

function writeToStderr(line: string): void {
  if (!stderrGuarded) {
    stderrGuarded = true;
    // A closed reader must not end the program: only the line is lost.
    process.stderr.on("error", () => undefined);
  }
  process.stderr.write(line);
}
