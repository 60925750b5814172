import { readFile } from "node:fs/promises";
import { formatFieldErrors } from "#/machinery/meta/field-error.ts";
import { overlayFlags } from "#/std/flags/config-file.ts";
import type { ParsedFlags } from "#/std/flags/flags.ts";
import type { KubeSchedulerConfiguration } from "./configuration.ts";
import { schedulerFlags } from "./flags.ts";
import { ConfigurationError, parseConfiguration, withDefaults } from "./load-configuration.ts";
import type { PluginSettings } from "./plugin-settings.ts";
import { validateConfiguration } from "./validate-configuration.ts";

type Parsed = Pick<ParsedFlags<typeof schedulerFlags>, "values" | "changed">;

/**
 * The configuration made of flags and file. With a file, of the flags that have a field only those of leader
 * election count. Throws ConfigurationError.
 *
 * Upstream: cmd/kube-scheduler/app/options/options.go.
 */
export async function effectiveConfiguration(
  parsed: Parsed,
  known: readonly PluginSettings[],
): Promise<KubeSchedulerConfiguration> {
  const file = parsed.values.config;
  const base =
    file === "" ? withDefaults(known) : parseConfiguration(await readFile(file, "utf8"), known);
  const isElection = (name: string): boolean => name.startsWith("leader-elect");
  const changed = file === "" ? parsed.changed : new Set([...parsed.changed].filter(isElection));
  const config = overlayFlags(base, schedulerFlags, { values: parsed.values, changed });
  const errors = validateConfiguration(config, known);
  if (errors.length > 0) throw new ConfigurationError(formatFieldErrors(errors));
  return config;
}
