import type { Pod, PodDNSConfigOption } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type DnsConfig, parseResolvConf } from "./parse-resolv-conf.ts";

/** A warning that becomes an event of the pod or the node. */
interface DnsWarning {
  readonly about: "pod" | "node";
  readonly reason: "DNSConfigForming" | "MissingClusterDNS" | "CheckLimitsForResolvConf";
  readonly message: string;
}

/** The kubelet's part of pods' DNS settings. */
export interface DnsSettings {
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The text of the node's resolv.conf; undefined if the kubelet is configured to use none. */
  readonly resolvConf: string | undefined;
  readonly nodeIPs: readonly string[];
}

/** Limits of the resolver library. */
const maxNameservers = 3;

const maxSearches = 32;

const maxSearchChars = 2048;

const maxDomainLength = 253;

/**
 * The DNS settings of a pod, within the resolver's limits, and warnings about omitted ones.
 *
 * Upstream: pkg/kubelet/network/dns/dns.go.
 */
export function podDnsConfig(
  pod: Pod,
  settings: DnsSettings,
): { config: DnsConfig; warnings: DnsWarning[] } {
  const warnings: DnsWarning[] = [];
  const base = baseConfig(pod, settings, warnings);
  const merged = pod.spec.dnsConfig
    ? {
        servers: unique([...base.servers, ...(pod.spec.dnsConfig.nameservers ?? [])]),
        searches: unique([...base.searches, ...(pod.spec.dnsConfig.searches ?? [])]),
        options: mergeOptions(base.options, pod.spec.dnsConfig.options ?? []),
      }
    : base;
  const config = {
    servers: limitServers(merged.servers, warnings),
    searches: limitSearches(merged.searches, warnings),
    options: merged.options,
  };
  return { config, warnings };
}

function baseConfig(pod: Pod, settings: DnsSettings, warnings: DnsWarning[]): DnsConfig {
  const host = parseResolvConf(settings.resolvConf ?? "");
  const { dnsPolicy = "ClusterFirst", hostNetwork = false } = pod.spec;
  if (dnsPolicy === "None") return { servers: [], searches: [], options: [] };
  const fromHost = dnsPolicy === "Default" || (dnsPolicy === "ClusterFirst" && hostNetwork);
  if (!fromHost && settings.clusterDNS.length > 0) {
    return {
      servers: settings.clusterDNS,
      searches: clusterSearches(pod, settings.clusterDomain, host.searches),
      options: ["ndots:5"],
    };
  }
  if (!fromHost) warnings.push(...missingClusterDns(pod));
  if (settings.resolvConf !== undefined) return host;
  const loopback = settings.nodeIPs.map((ip) => (ip.includes(":") ? "::1" : "127.0.0.1"));
  return { ...host, servers: loopback.length ? loopback : ["127.0.0.1"], searches: ["."] };
}

function missingClusterDns({ metadata }: Pod): DnsWarning[] {
  const message =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
  const described = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
  const reason = "MissingClusterDNS";
  return [
    { about: "node", reason, message },
    { about: "pod", reason, message: `pod: ${goQuote(described)}. ${message}` },
  ];
}

function clusterSearches({ metadata }: Pod, domain: string, host: readonly string[]): string[] {
  if (domain === "") return [...host];
  return unique([`${metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain, ...host]);
}

function mergeOptions(base: readonly string[], more: readonly PodDNSConfigOption[]): string[] {
  const values = new Map<string, string>();
  for (const option of base) {
    const colon = option.indexOf(":");
    if (colon === -1) values.set(option, "");
    else values.set(option.slice(0, colon), option.slice(colon + 1));
  }
  for (const { name, value } of more) values.set(name ?? "", value ?? "");
  return Array.from(values, ([name, value]) => (value === "" ? name : `${name}:${value}`));
}

function limitServers(servers: readonly string[], warnings: DnsWarning[]): readonly string[] {
  if (servers.length <= maxNameservers) return servers;
  const kept = servers.slice(0, maxNameservers);
  warnings.push({
    about: "pod",
    reason: "DNSConfigForming",
    message: `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${kept.join(" ")}`,
  });
  return kept;
}

function limitSearches(searches: readonly string[], warnings: DnsWarning[]): readonly string[] {
  const kept = searches.slice(0, maxSearches).filter((one) => one.length <= maxDomainLength);
  while (kept.join(" ").length > maxSearchChars) kept.pop();
  if (kept.length === searches.length) return searches;
  warnings.push({
    about: "pod",
    reason: "DNSConfigForming",
    message: `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${kept.join(" ")}`,
  });
  return kept;
}

/** A warning if the node's own resolv.conf exceeds the limits of pods. */
export function checkResolvConf(
  path: string,
  text: string,
  clusterDomain: string,
): DnsWarning | undefined {
  const { searches } = parseResolvConf(text);
  const warning = (message: string): DnsWarning => ({
    about: "node",
    reason: "CheckLimitsForResolvConf",
    message,
  });
  const limit = clusterDomain === "" ? maxSearches : maxSearches - 3;
  if (searches.length > limit) {
    return warning(
      `Resolv.conf file '${path}' contains search line consisting of more than ${limit} domains!`,
    );
  }
  if (searches.some((one) => one.length > maxDomainLength)) {
    return warning(
      `Resolv.conf file ${goQuote(path)} contains a search path which length is more than allowed ${maxDomainLength} chars!`,
    );
  }
  if (searches.join(" ").length > maxSearchChars) {
    return warning(
      `Resolv.conf file '${path}' contains search line which length is more than allowed ${maxSearchChars} chars!`,
    );
  }
  return undefined;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
