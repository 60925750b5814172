import { parseDuration } from "#/std/go/duration.ts";
import { splitHostPort } from "#/std/net/host-port.ts";
import { parseYaml } from "#/std/text/yaml.ts";
import { hostPort, parseAddress } from "../base/ip-family.ts";
import { defaultConfiguration, type KubeProxyConfiguration } from "./kube-proxy-configuration.ts";

const healthzPort = 10256;

const metricsPort = 10249;

/** A configuration file's values over the defaults; unknown ones are ignored. */
export function configurationFromFile(text: string): KubeProxyConfiguration {
  const file: unknown = parseYaml(text);
  const given = isObject(file) ? file : {};
  const kind = `${given["apiVersion"]}, Kind=${given["kind"]}`;
  if (kind !== "kubeproxy.config.k8s.io/v1alpha1, Kind=KubeProxyConfiguration") {
    throw new Error(
      `failed to decode: no kind "${given["kind"]}" is registered for version "${given["apiVersion"]}"`,
    );
  }
  const config = defaultConfiguration();
  merge(config, given);
  const defaults = defaultConfiguration();
  for (const mode of ["iptables", "nftables"] as const) {
    for (const period of ["syncPeriod", "minSyncPeriod"] as const) {
      if (parseDuration(config[mode][period]) === 0) config[mode][period] = defaults[mode][period];
    }
  }
  if (parseDuration(config.ipvs.syncPeriod) === 0)
    config.ipvs.syncPeriod = defaults.ipvs.syncPeriod;
  return completeConfiguration(config);
}

/** Sets values that depend on others. */
export function completeConfiguration(config: KubeProxyConfiguration): KubeProxyConfiguration {
  if (config.bindAddress === "") config.bindAddress = "0.0.0.0";
  const ipv6 = config.bindAddress.includes(":");
  config.healthzBindAddress ||= hostPort(ipv6 ? "::" : "0.0.0.0", healthzPort);
  config.metricsBindAddress ||= hostPort(ipv6 ? "::1" : "127.0.0.1", metricsPort);
  config.healthzBindAddress = withPort(config.healthzBindAddress, healthzPort);
  config.metricsBindAddress = withPort(config.metricsBindAddress, metricsPort);
  if (config.mode === "nftables" && config.nodePortAddresses.length === 0) {
    config.nodePortAddresses = ["primary"];
  }
  if (config.detectLocalMode === "") config.detectLocalMode = "ClusterCIDR";
  return config;
}

function withPort(address: string, port: number): string {
  if (splitHostPort(address) || !parseAddress(address)) return address;
  return hostPort(address, port);
}

/** Copies the file's values that have the expected type. */
function merge(target: object, given: Record<string, unknown>): void {
  const into = target as Record<string, unknown>;
  for (const [key, value] of Object.entries(given)) {
    const known = into[key];
    if (known === undefined || value === null || value === undefined) continue;
    const open = isObject(known) && Object.keys(known).length > 0;
    if (open && isObject(value)) merge(known, value);
    else if (typeof value === typeof known && Array.isArray(value) === Array.isArray(known)) {
      into[key] = value;
    } else throw new Error(`failed to decode: ${key}: unexpected value ${JSON.stringify(value)}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
