/** Upstream: k8s.io/component-base/logs/api/v1/options.go. */
import type { FlagType } from "./flag-types.ts";
import type { FlagSet, FlagValues } from "./flags.ts";
import { configureLogging, parseVmodule, type VmoduleRule } from "./log.ts";
import { parseGoUint } from "./strconv.ts";

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

/** Lines are written at once, and to one stream: these are taken, so that command lines of others work. */
const bufferFlags = {
  "log-flush-frequency": { type: "duration", default: 5000, help: "Of no use here.", hidden: true },
  "log-json-info-buffer-size": { type: "string", help: "Of no use here.", hidden: true },
  "log-json-split-stream": { type: "bool", help: "Of no use here.", hidden: true },
  "log-text-info-buffer-size": { type: "string", help: "Of no use here.", hidden: true },
  "log-text-split-stream": { type: "bool", help: "Of no use here.", hidden: true },
} satisfies FlagSet;

/** The flags that every component has for its log. */
export const logFlags = {
  ...bufferFlags,
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

/** Makes the log of this process as its flags say. */
export function applyLogFlags(
  values: Pick<FlagValues<typeof logFlags>, "logging-format" | "v" | "vmodule">,
): void {
  configureLogging({
    format: values["logging-format"],
    verbosity: values.v,
    vmodule: values.vmodule,
  });
}
