/**
 * Upstream: staging/src/k8s.io/component-base/cli/run.go,
 * staging/src/k8s.io/component-base/version/verflag/verflag.go.
 */

import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import type { InProcessAccess } from "#/client/connect.ts";
import type { FlagType } from "#/std/flags/flag-types.ts";
import { FlagError, type FlagSet, type FlagValues } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { parseGoBool } from "#/std/go/strconv.ts";
import { applyLogFlags, type logFlags } from "#/std/log/log-flags.ts";
import { runUntilSignal } from "#/std/process/shutdown.ts";

/** "true" and "raw" request the version; "v…" is the version to report. */
const versionRequest: FlagType<string> = {
  label: "version",
  zero: "false",
  bare: "true",
  parse(text) {
    if (text.startsWith("v")) checkVersion(text);
    else if (text !== "raw") return String(parseGoBool(text));
    return text;
  },
  format: (value) => value,
};

/**
 * Vendors may add a suffix to the version, not change it.
 * Upstream: staging/src/k8s.io/component-base/version/dynamic.go.
 */
function checkVersion(text: string): void {
  const [, numbers, rest = ""] = /^v(\d+\.\d+\.\d+)(.*)$/.exec(text) ?? [];
  if (numbers === undefined || !/^(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(rest)) {
    throw new Error(`could not parse ${goQuote(text)} as version`);
  }
  if (`v${numbers}` !== kubernetesVersion) {
    throw new Error(
      `version ${goQuote(text)} must match major/minor/patch of default version ${goQuote(kubernetesVersion)}`,
    );
  }
}

/** The version that a component reports, by its flag. */
export const reportedVersion = (flag: string): string =>
  flag.startsWith("v") ? flag : kubernetesVersion;

/** Flags of every component. */
export const globalFlags = {
  version: { type: versionRequest, help: "Print the version and exit." },
} satisfies FlagSet;

/** The parsed command line of a component. */
interface ComponentArguments {
  readonly values: FlagValues<typeof logFlags & typeof globalFlags>;
  readonly help: boolean;
  readonly warnings: readonly string[];
}

interface ComponentOptions<Arguments, Embedding> {
  /** Throws FlagError. */
  parse(args: readonly string[]): Arguments;
  /** The output of --help. */
  usage(): string;
  /** Rejects if values of flags, or the configuration file that they name, are invalid. */
  validate?(parsed: Arguments): Promise<void> | void;
  /** Runs until the signal aborts. */
  run(parsed: Arguments, signal: AbortSignal, embedding?: Embedding): Promise<void>;
}

interface ComponentCommand<Embedding> {
  /** Runs as a process of its own; returns the exit code. */
  main(args: readonly string[]): Promise<number>;
  /** Rejects if it would not start with these arguments, as far as that is known before. */
  check(args: readonly string[]): Promise<void>;
  /** Runs in a process with other components; rejects if this one fails. */
  start(args: readonly string[], signal: AbortSignal, embedding?: Embedding): Promise<void>;
}

/** Makes the command line of a component. */
export function componentCommand<Arguments extends ComponentArguments, Embedding = InProcessAccess>(
  options: ComponentOptions<Arguments, Embedding>,
): ComponentCommand<Embedding> {
  const { parse, usage, validate, run } = options;
  return {
    async main(args) {
      try {
        const parsed = parse(args);
        if (parsed.help) return print(usage());
        const version = parsed.values.version;
        if (version === "true" || version === "raw")
          return print(`Kubernetes ${kubernetesVersion}\n`);
        for (const warning of parsed.warnings) process.stderr.write(`${warning}\n`);
        return await runUntilSignal(async (signal) => {
          applyLogFlags(parsed.values);
          await run(parsed, signal);
        });
      } catch (error) {
        if (!(error instanceof FlagError)) throw error;
        process.stderr.write(`Error: ${error.message}\n`);
        return 1;
      }
    },
    check: async (args) => await validate?.(parse(args)),
    start: async (args, signal, embedding) => await run(parse(args), signal, embedding),
  };
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
