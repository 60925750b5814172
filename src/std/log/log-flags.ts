/** Upstream: staging/src/k8s.io/component-base/logs/api/v1/options.go. */

import type { FlagType } from "../flags/flag-types.ts";
import { FlagError, type FlagSet, type FlagValues } from "../flags/flags.ts";
import { formatDuration } from "../go/duration.ts";
import { parseGoUint } from "../go/strconv.ts";
import { configureLogging, parseVmodule, type VmoduleRule } from "./log.ts";

const level: FlagType<number> = {
  label: "Level",
  zero: 0,
  parse: (text) => parseGoUint(text, 31),
  format: String,
};

const vmodule: FlagType<readonly VmoduleRule[]> = {
  label: "pattern=N,...",
  zero: [],
  parse: (text, previous = []) => [...previous, ...parseVmodule(text)],
  format: (rules) => rules.map((rule) => `${rule.pattern}=${rule.level}`).join(","),
};

const format: FlagType<"text" | "json"> = {
  label: "string",
  zero: "text",
  parse(text) {
    if (text === "text" || text === "json") return text;
    throw new SyntaxError("Unsupported log format");
  },
  format: (value) => value,
};

/**
 * Lines are written at once: buffer flags are accepted, so that existing command lines work, and
 * ignored.
 */
const streamFlags = {
  "log-flush-frequency": { type: "duration", default: 5000, help: "Of no use here.", hidden: true },
  "log-json-info-buffer-size": {
    type: "string",
    default: "0",
    help: "Of no use here.",
    hidden: true,
  },
  "log-json-split-stream": {
    type: "bool",
    help: "In JSON format, write error messages to stderr and info messages to stdout.",
    hidden: true,
  },
  "log-text-info-buffer-size": {
    type: "string",
    default: "0",
    help: "Of no use here.",
    hidden: true,
  },
  "log-text-split-stream": {
    type: "bool",
    help: "In text format, write error messages to stderr and info messages to stdout.",
    hidden: true,
  },
} satisfies FlagSet;

/** The flags that every component has for its log. */
export const logFlags = {
  ...streamFlags,
  "logging-format": {
    type: format,
    default: "text",
    aliases: ["log-format"],
    help: 'Sets the log format. Permitted formats: "json" (gated by LoggingBetaOptions), "text".',
  },
  v: { type: level, shorthand: "v", help: "number for the log level verbosity" },
  vmodule: {
    type: vmodule,
    help: "comma-separated list of pattern=N settings for component-filtered logging",
  },
} satisfies FlagSet;

type LogValues = FlagValues<typeof logFlags> & {
  readonly "feature-gates"?: Readonly<Record<string, boolean>>;
};

/**
 * Configures the log of this process by its flags. Throws FlagError if they contradict each other.
 */
export function applyLogFlags(values: LogValues): void {
  const [first, ...more] = contradictions(values);
  if (first !== undefined) {
    throw new FlagError(more.length === 0 ? first : `[${[first, ...more].join(", ")}]`);
  }
  const format = values["logging-format"];
  configureLogging({
    format,
    verbosity: values.v,
    vmodule: values.vmodule,
    splitStream: values[`log-${format}-split-stream`],
  });
}

function contradictions(values: LogValues): string[] {
  const errors: string[] = [];
  const frequencyMs = values["log-flush-frequency"];
  if (frequencyMs <= 0) {
    const shown = JSON.stringify(formatDuration(frequencyMs));
    errors.push(`flushFrequency: Invalid value: ${shown}: Must be greater than zero`);
  }
  if (values["logging-format"] !== "text" && values.vmodule.length > 0) {
    errors.push("vmodule: Forbidden: Only supported for text log format");
  }
  const gates = values["feature-gates"] ?? {};
  if (gates["LoggingAlphaOptions"] ?? gates["AllAlpha"]) return errors;
  const disabled = "Forbidden: Feature LoggingAlphaOptions is disabled";
  for (const format of ["text", "json"] as const) {
    if (values[`log-${format}-split-stream`]) {
      errors.push(`options.${format}.splitStream: ${disabled}`);
    }
    if (values[`log-${format}-info-buffer-size`] !== "0") {
      errors.push(`options.${format}.infoBufferSize: ${disabled}`);
    }
  }
  return errors;
}
