import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import {
  duplicate,
  type FieldError,
  formatFieldErrors,
  invalid,
  JsonValue,
  notSupported,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { asError } from "#/std/base/as-error.ts";
import { parseDuration } from "#/std/go/duration.ts";
import { parseCidr } from "#/std/net/cidr.ts";
import { ipFamilies, networksOf, parseAddress } from "../base/ip-family.ts";
import { clusterCidrs, type KubeProxyConfiguration } from "./kube-proxy-configuration.ts";

const root = fieldPath("KubeProxyConfiguration");
const localModes = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""];
const notNegative = "must be greater than or equal to 0";

/** The errors of a configuration. Upstream: pkg/proxy/apis/config/validation/validation.go. */
export function validateConfiguration(config: KubeProxyConfiguration): FieldError[] {
  return [
    ...gates(config.featureGates),
    ...masqueradeBit(config.iptables.masqueradeBit, "KubeProxyIPTablesConfiguration"),
    ...(config.mode === "ipvs" ? ipvs(config.ipvs) : []),
    ...(config.mode === "nftables"
      ? masqueradeBit(config.nftables.masqueradeBit, "KubeProxyNFTablesConfiguration")
      : []),
    ...conntrack(config),
    ...mode(config),
    ...burst(config.clientConnection.burst),
    ...periods(config),
    ...addresses(config),
    ...nodePortAddresses(config.nodePortAddresses, root.child("NodePortAddresses")),
    ...hiddenMetrics(config.showHiddenMetricsForVersion),
    ...detectLocal(config),
  ];
}

function gates(given: Readonly<Record<string, boolean>>): FieldError[] {
  try {
    enabledFeatures(given);
    return [];
  } catch (error) {
    return [invalid(root.child("featureGates"), new JsonValue(given), asError(error).message)];
  }
}

function burst(given: number): FieldError[] {
  const path = root.child("ClientConnection").child("Burst");
  return given < 0 ? [invalid(path, given, notNegative)] : [];
}

const previousVersion = "1.36";

function hiddenMetrics(version: string): FieldError[] {
  if (version === "" || version === previousVersion) return [];
  const text = `must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`;
  const path = fieldPath("showHiddenMetricsForVersion");
  const detail = `invalid showHiddenMetricsForVersion: ${formatFieldErrors([invalid(path, version, text)])}`;
  return [invalid(root.child("ShowHiddenMetricsForVersion"), version, detail)];
}

function masqueradeBit(bit: number, name: string): FieldError[] {
  if (bit >= 0 && bit <= 31) return [];
  const path = root.child(name).child("MasqueradeBit");
  return [invalid(path, bit, "must be within the range [0, 31]")];
}

function conntrack({ conntrack: settings, oomScoreAdj }: KubeProxyConfiguration): FieldError[] {
  const linux = root.child("KubeProxyLinuxConfiguration");
  const path = linux.child("KubeProxyConntrackConfiguration");
  const values = {
    MaxPerCore: settings.maxPerCore,
    Min: settings.min,
    TCPEstablishedTimeout: settings.tcpEstablishedTimeout,
    TCPCloseWaitTimeout: settings.tcpCloseWaitTimeout,
    UDPTimeout: settings.udpTimeout,
    UDPStreamTimeout: settings.udpStreamTimeout,
  };
  const errors = Object.entries(values).flatMap(([name, value]) => {
    const number = typeof value === "string" ? parseDuration(value) : value;
    return number < 0 ? [invalid(path.child(name), new JsonValue(value), notNegative)] : [];
  });
  if (Math.abs(oomScoreAdj) <= 1000) return errors;
  const range = "must be within the range [-1000, 1000]";
  return [...errors, invalid(linux.child("OOMScoreAdj"), oomScoreAdj, range)];
}

function ipvs(settings: KubeProxyConfiguration["ipvs"]): FieldError[] {
  const path = root.child("KubeProxyIPVSConfiguration");
  const timeouts = {
    TCPTimeout: settings.tcpTimeout,
    TCPFinTimeout: settings.tcpFinTimeout,
    UDPTimeout: settings.udpTimeout,
  };
  return [
    ...Object.entries(timeouts).flatMap(([name, text]) =>
      parseDuration(text) < 0 ? [invalid(path.child(name), new JsonValue(text), notNegative)] : [],
    ),
    ...settings.excludeCIDRs.flatMap((text, index) =>
      parseCidr(text, { sloppy: true })
        ? []
        : [invalid(path.child("ExcludeCidrs").index(index), text, "must be a valid CIDR")],
    ),
  ];
}

function mode({ mode: name, featureGates }: KubeProxyConfiguration): FieldError[] {
  const ipvsModes = featureGates["KubeProxyIPVS"] === false ? [] : ["ipvs"];
  const modes = ["iptables", ...ipvsModes, "nftables"];
  if (name === "" || modes.includes(name)) return [];
  const valid = `must be ${modes.join(", ")} or blank (blank means the best-available proxy [currently iptables])`;
  return [invalid(root.child("Mode").child("ProxyMode"), name, valid)];
}

function periods(config: KubeProxyConfiguration): FieldError[] {
  const own =
    config[config.mode === "nftables" || config.mode === "ipvs" ? config.mode : "iptables"];
  const errors: FieldError[] = [];
  const check = (name: string, text: string, wrong: boolean, detail: string): void => {
    if (wrong) errors.push(invalid(root.child(name), new JsonValue(text), detail));
  };
  const [sync, min] = [parseDuration(own.syncPeriod), parseDuration(own.minSyncPeriod)];
  const { configSyncPeriod } = config;
  const positive = "must be greater than 0";
  check("ConfigSyncPeriod", configSyncPeriod, parseDuration(configSyncPeriod) <= 0, positive);
  check("SyncPeriod", own.syncPeriod, sync <= 0, positive);
  check("MinSyncPeriod", own.minSyncPeriod, min < 0, notNegative);
  const atLeast = `must be greater than or equal to ${root.child("MinSyncPeriod")}`;
  check("SyncPeriod", own.minSyncPeriod, min > sync, atLeast);
  return errors;
}

function addresses(config: KubeProxyConfiguration): FieldError[] {
  const bind = root.child("BindAddress");
  const noIp = "not a valid textual representation of an IP address";
  return [
    ...(parseAddress(config.bindAddress) ? [] : [invalid(bind, config.bindAddress, noIp)]),
    ...hostPort(config.healthzBindAddress, root.child("HealthzBindAddress")),
    ...hostPort(config.metricsBindAddress, root.child("MetricsBindAddress")),
  ];
}

/** Validates an address; empty disables the server. */
function hostPort(text: string, path: FieldPath): FieldError[] {
  if (text === "") return [];
  const [, bracketed, plain, port = ""] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) return [invalid(path, text, "must be IP:port")];
  const isPort = /^[+-]?\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return [
    ...(parseAddress(host) ? [] : [invalid(path, host, "must be a valid IP")]),
    ...(isPort ? [] : [invalid(path, port, "must be a valid port")]),
  ];
}

function nodePortAddresses(list: readonly string[], path: FieldPath): FieldError[] {
  const detail = "must be a valid CIDR or one of the keywords 'primary', 'localhost', 'all'";
  return list.flatMap((text, index) => {
    if (["primary", "localhost", "all"].includes(text)) {
      return list.indexOf(text) < index ? [duplicate(path.index(index), text)] : [];
    }
    return parseCidr(text, { sloppy: true }) ? [] : [invalid(path.index(index), text, detail)];
  });
}

function detectLocal(config: KubeProxyConfiguration): FieldError[] {
  const path = root.child("DetectLocalConfiguration");
  const named = (value: string, field: string): FieldError[] =>
    value === "" ? [invalid(path.child(field), value, "must not be empty")] : [];
  switch (config.detectLocalMode) {
    case "BridgeInterface":
      return named(config.detectLocal.bridgeInterface, "InterfaceName");
    case "InterfaceNamePrefix":
      return named(config.detectLocal.interfaceNamePrefix, "InterfacePrefix");
    case "ClusterCIDR":
      return clusterCidrErrors(clusterCidrs(config), path.child("ClusterCIDRs"));
    case "NodeCIDR":
    case "":
      return [];
    default:
      return [notSupported(root.child("DetectLocalMode"), config.detectLocalMode, localModes)];
  }
}

function clusterCidrErrors(cidrs: readonly string[], path: FieldPath): FieldError[] {
  const pair =
    "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";
  if (cidrs.length > 2) return [invalid(path, new JsonValue(cidrs), pair)];
  const detail = "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)";
  const bad = cidrs.flatMap((text, index) =>
    parseCidr(text, { sloppy: true }) ? [] : [invalid(path.index(index), text, detail)],
  );
  const counts = ipFamilies.map((family) => networksOf(family, cidrs).length);
  return bad.length === 0 && counts.includes(2) ? [invalid(path, new JsonValue(cidrs), pair)] : bad;
}
