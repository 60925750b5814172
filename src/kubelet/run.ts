/** Upstream: cmd/kubelet/app/server.go. */
import type { Surroundings } from "#/client/connect.ts";
import { flagUsage } from "#/std/flag-usage.ts";
import { FlagError, type ParsedFlags, parseFlags } from "#/std/flags.ts";
import { applyLogFlags } from "#/std/log-flags.ts";
import { runUntilSignal } from "#/std/shutdown.ts";
import { runKubelet } from "./assembly/run-kubelet.ts";
import { kubeletFlags } from "./config/flags.ts";
import { loadConfiguration } from "./config/load-configuration.ts";

export { removeAllPods } from "./remove-all-pods.ts";

/** The command `kubelet`; returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = parseFlags(kubeletFlags, args);
    if (parsed.help) {
      process.stdout.write(flagUsage(kubeletFlags));
      return 0;
    }
    if (parsed.values.version !== "") {
      process.stdout.write("Kubernetes v1.37.1\n");
      return 0;
    }
    for (const warning of parsed.warnings) process.stderr.write(`${warning}\n`);
    applyLogFlags(parsed.values);
    return await runUntilSignal((signal) => run(parsed, signal));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`Error: ${error.message}\n`);
    return 1;
  }
}

/** As run(), with a command line. */
export async function start(
  args: readonly string[],
  signal: AbortSignal,
  around: Surroundings = {},
): Promise<void> {
  await run(parseFlags(kubeletFlags, args), signal, around);
}

/** Runs pods until the signal aborts. Containers go on running. */
export async function run(
  parsed: ParsedFlags<typeof kubeletFlags>,
  signal: AbortSignal,
  around: Surroundings = {},
): Promise<void> {
  const config = await loadConfiguration(parsed);
  await runKubelet({ flags: parsed.values, config, around }, signal);
}
