import type { HostAlias } from "#/api/core/v1.ts";

/** The header of hosts files of pods in the node's network. */
const hostNetworkHeader = "# Kubernetes-managed hosts file (host network).\n";

/** The names that every managed hosts file begins with. */
const managedLines = [
  "# Kubernetes-managed hosts file.",
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

interface HostsFileOptions {
  readonly podIPs: readonly string[];
  readonly hostname: string;
  /** The domain of the hostname; empty if there is none. */
  readonly domain: string;
  readonly hostAliases?: readonly HostAlias[] | undefined;
}

/**
 * The hosts file of a pod with its own network.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go.
 */
export function managedHostsFile({ podIPs, hostname, domain, hostAliases }: HostsFileOptions) {
  const names = domain === "" ? hostname : `${hostname}.${domain}\t${hostname}`;
  const lines = [...managedLines, ...podIPs.map((ip) => `${ip}\t${names}`)];
  return `${lines.join("\n")}\n${aliasLines(hostAliases)}`;
}

/** The hosts file of a pod in the node's network: the node's own and the aliases. */
export function hostNetworkHostsFile(
  nodeHosts: string,
  hostAliases: readonly HostAlias[] | undefined,
): string {
  return `${hostNetworkHeader}${nodeHosts}${aliasLines(hostAliases)}`;
}

function aliasLines(aliases: readonly HostAlias[] | undefined): string {
  if (aliases === undefined || aliases.length === 0) return "";
  const lines = aliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join("\t")}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
