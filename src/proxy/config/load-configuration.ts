import { readFile } from "node:fs/promises";
import { overlayFlags } from "#/std/flags/config-file.ts";
import type { ParsedFlags } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { completeConfiguration, configurationFromFile } from "./configuration-from-file.ts";
import { proxyFlags } from "./flags.ts";
import { defaultConfiguration, type KubeProxyConfiguration } from "./kube-proxy-configuration.ts";

type Parsed = Pick<ParsedFlags<typeof proxyFlags>, "values" | "changed">;

/**
 * The configuration of a command line; a configuration file overrides most flags. The mode may be
 * undecided.
 */
export async function loadConfiguration(parsed: Parsed): Promise<KubeProxyConfiguration> {
  const { values } = parsed;
  const config =
    values.config === ""
      ? configurationFromFlags(parsed)
      : configurationFromFile(await readFile(values.config, "utf8"));
  const name = values["hostname-override"].trim();
  if (name !== "") config.hostnameOverride = name.toLowerCase();
  return config;
}

function configurationFromFlags({ values, changed }: Parsed): KubeProxyConfiguration {
  const config = overlayFlags(defaultConfiguration(), proxyFlags, { values, changed });
  for (const mode of ["iptables", "nftables"] as const) {
    config[mode].masqueradeAll = values["masquerade-all"];
    config[mode].syncPeriod = formatDuration(values["iptables-sync-period"]);
    config[mode].minSyncPeriod = formatDuration(values["iptables-min-sync-period"]);
  }
  // As upstream: without a file, the least period is that of mode iptables.
  config.ipvs.syncPeriod = formatDuration(values["ipvs-sync-period"]);
  config.ipvs.minSyncPeriod = formatDuration(values["ipvs-min-sync-period"]);
  completeConfiguration(config);
  if (values["healthz-port"] === 0) config.healthzBindAddress = "";
  if (values["metrics-port"] === 0) config.metricsBindAddress = "";
  return config;
}
