/** Upstream: pkg/kubelet/kubelet_pods.go, pkg/kubelet/network/dns/dns.go. */
import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ConfigMap, Container, Pod, Secret, Service } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go-quote.ts";
import type { Mount } from "../cri/container-messages.ts";
import type { DNSConfig } from "../cri/sandbox-messages.ts";
import type { Directories } from "../directories.ts";
import type {
  ContainerEnvironment,
  EnvironmentRequest,
  EnvironmentVariable,
  NodeAccess,
} from "../surroundings.ts";
import { containerVariables } from "./container-variables.ts";
import { type DnsWarning, podDnsConfig } from "./dns-config.ts";
import { podHostname } from "./hostname.ts";
import { hostNetworkHostsFile, managedHostsFile } from "./hosts-file.ts";
import type { RuntimeFacts } from "./pod-field.ts";

export interface PodEnvironmentOptions {
  readonly node: NodeAccess;
  readonly directories: Directories;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** `resolvConf`; empty for none. */
  readonly resolvConf: string;
  readonly objects: {
    getConfigMap(namespace: string, name: string): Promise<ConfigMap>;
    getSecret(namespace: string, name: string): Promise<Secret>;
  };
  /** Undefined until they have been read once. */
  services(): readonly Service[] | undefined;
  /** Where a volume of a pod is; undefined if it isn't mounted. */
  volumePath(podUID: string, volume: string): string | undefined;
  warn(pod: Pod, warning: DnsWarning): void;
}

const nodeHostsFile = "/etc/hosts";
/** The kernel's limit of host names. */
const maxFullNameLength = 64;

/** What the containers of this node's pods find around them. */
export class PodEnvironment implements ContainerEnvironment {
  readonly #options: PodEnvironmentOptions;

  constructor(options: PodEnvironmentOptions) {
    this.#options = options;
  }

  /** What a pod is told about itself. */
  facts(podIPs: readonly string[]): RuntimeFacts {
    const { node } = this.#options;
    const { allocatable = {} } = node.node().status ?? {};
    return { hostIPs: node.hostIPs(), podIPs, allocatable };
  }

  async variables(request: EnvironmentRequest): Promise<readonly EnvironmentVariable[]> {
    const { pod, container, podIPs } = request;
    const { objects } = this.#options;
    const services = this.#options.services();
    if (services === undefined && !isStatic(pod)) {
      throw new Error("services have not yet been read at least once, cannot construct envvars");
    }
    return containerVariables(pod, container, {
      getConfigMap: (namespace, name) => objects.getConfigMap(namespace, name),
      getSecret: (namespace, name) => objects.getSecret(namespace, name),
      services: services ?? [],
      facts: this.facts(podIPs),
      readVolumeFile: (volume, path) => this.#readVolumeFile(pod, volume, path),
    });
  }

  async hostsFile(
    pod: Pod,
    container: Container,
    podIPs: readonly string[],
  ): Promise<Mount | undefined> {
    const own = container.volumeMounts?.some(({ mountPath }) => mountPath === nodeHostsFile);
    if (own || (podIPs.length === 0 && !pod.spec.hostNetwork)) return undefined;
    const path = this.#options.directories.hostsFile(pod.metadata.uid ?? "");
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await writeFile(path, await this.#hostsText(pod, podIPs));
    await chmod(path, 0o644);
    return { containerPath: nodeHostsFile, hostPath: path, selinuxRelabel: true };
  }

  async dnsConfig(pod: Pod): Promise<DNSConfig | undefined> {
    const { clusterDNS, clusterDomain, resolvConf, node, warn } = this.#options;
    const text = resolvConf === "" ? undefined : await readFile(resolvConf, "utf8");
    const nodeIPs = node.hostIPs();
    const settings = { clusterDNS, clusterDomain, resolvConf: text, nodeIPs };
    const { config, warnings } = podDnsConfig(pod, settings);
    for (const warning of warnings) warn(pod, warning);
    return {
      servers: [...config.servers],
      searches: [...config.searches],
      options: [...config.options],
    };
  }

  sandboxHostname(pod: Pod): string {
    const { hostname, domain } = podHostname(pod, this.#options.clusterDomain);
    if (!pod.spec.setHostnameAsFQDN || domain === "") return hostname;
    const full = `${hostname}.${domain}`;
    if (full.length > maxFullNameLength) {
      throw new Error(
        `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long (${maxFullNameLength} characters is the max, ${full.length} characters requested)`,
      );
    }
    return full;
  }

  async #hostsText(pod: Pod, podIPs: readonly string[]): Promise<string> {
    const { hostAliases, hostNetwork } = pod.spec;
    if (hostNetwork)
      return hostNetworkHostsFile(await readFile(nodeHostsFile, "utf8"), hostAliases);
    const { hostname, domain } = podHostname(pod, this.#options.clusterDomain);
    return managedHostsFile({ podIPs, hostname, domain, hostAliases });
  }

  /** Links in a volume may not lead out of it. */
  async #readVolumeFile(pod: Pod, volume: string, path: string) {
    const root = this.#options.volumePath(pod.metadata.uid ?? "", volume);
    if (root === undefined) {
      throw new Error(`cannot find the volume ${goQuote(volume)} referenced by FileKeyRef`);
    }
    const base = await realpath(root);
    const full = await realpath(join(base, path));
    if (!full.startsWith(`${base}/`)) throw new Error("couldn't parse env file");
    return { path: full, text: await readFile(full, "utf8") };
  }
}

function isStatic({ metadata }: Pod): boolean {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  return source !== undefined && source !== "api";
}
