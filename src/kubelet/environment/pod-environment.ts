/** Upstream: pkg/kubelet/kubelet_pods.go. */
import { constants } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { ConfigMap, Container, Pod, Secret, Service } from "#/api/core/v1.ts";
import type { Mount } from "../cri/container-messages.ts";
import type { DNSConfig } from "../cri/sandbox-messages.ts";
import type { Directories } from "../state/directories.ts";
import { isHostNetwork } from "../state/pod-containers.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type {
  ContainerEnvironment,
  EnvironmentRequest,
  EnvironmentVariable,
  NodeAccess,
} from "../state/pod-services.ts";
import { containerVariables } from "./container-variables.ts";
import { type DnsSettings, podDnsConfig } from "./dns-config.ts";
import { podHostname } from "./hostname.ts";
import { hostNetworkHostsFile, managedHostsFile } from "./hosts-file.ts";

/** A Pod may have changed the file: a link is not followed, a pipe not waited for. */
const writeFlags =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_TRUNC |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

/** Limit of the kernel (bytes). */
const maxKernelHostname = 64;

export interface PodEnvironmentOptions {
  readonly directories: Directories;
  readonly events: PodEvents;
  /** Records a warning about the node. */
  readonly warnNode: (reason: string, message: string) => void;
  readonly clusterDomain: string;
  readonly clusterDNS: readonly string[];
  /** A file in the form of resolv.conf; "" for none. */
  readonly resolvConf: string;
  readonly node: NodeAccess;
  services(): Iterable<Service>;
  getConfigMap(namespace: string, name: string): Promise<ConfigMap>;
  getSecret(namespace: string, name: string): Promise<Secret>;
  readVolumeFile(pod: Pod, volume: string, path: string): Promise<{ path: string; text: string }>;
}

/** The environment of containers, from the API's objects and the node's settings. */
export class PodEnvironment implements ContainerEnvironment {
  readonly #options: PodEnvironmentOptions;

  constructor(options: PodEnvironmentOptions) {
    this.#options = options;
  }

  async variables({
    pod,
    container,
    podIPs,
  }: EnvironmentRequest): Promise<readonly EnvironmentVariable[]> {
    const { node, services, getConfigMap, getSecret, readVolumeFile } = this.#options;
    return containerVariables(pod, container, {
      getConfigMap,
      getSecret,
      services: services(),
      facts: {
        hostIPs: node.hostIPs(),
        podIPs,
        allocatable: node.node().status?.allocatable ?? {},
      },
      readVolumeFile: (volume, path) => readVolumeFile(pod, volume, path),
    });
  }

  async hostsFile(
    pod: Pod,
    container: Container,
    podIPs: readonly string[],
  ): Promise<Mount | undefined> {
    if (podIPs.length === 0 && !isHostNetwork(pod)) return undefined;
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === "/etc/hosts")) {
      return undefined;
    }
    const { hostAliases } = pod.spec;
    const text = isHostNetwork(pod)
      ? hostNetworkHostsFile(await readFile("/etc/hosts", "utf8"), hostAliases)
      : managedHostsFile({ podIPs, hostAliases, ...this.#name(pod) });
    const hostPath = this.#options.directories.hostsFile(pod.metadata.uid ?? "");
    await writeFile(hostPath, text, { mode: 0o644, flag: writeFlags });
    return { hostPath, containerPath: "/etc/hosts", readonly: false, selinuxRelabel: true };
  }

  async dnsConfig(pod: Pod): Promise<DNSConfig | undefined> {
    const { config, warnings } = podDnsConfig(pod, await this.#dnsSettings());
    for (const { about, reason, message } of warnings) {
      if (about === "node") this.#options.warnNode(reason, message);
      else this.#options.events.record(pod, { type: "Warning", reason, message });
    }
    return config;
  }

  sandboxHostname(pod: Pod): string {
    const { hostname, domain } = this.#name(pod);
    if (!pod.spec.setHostnameAsFQDN || domain === "") return hostname;
    const fqdn = `${hostname}.${domain}`;
    if (fqdn.length <= maxKernelHostname) return fqdn;
    throw new Error(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${maxKernelHostname} characters is the max, ${fqdn.length} characters requested)`,
    );
  }

  #name(pod: Pod) {
    return podHostname(pod, this.#options.clusterDomain);
  }

  async #dnsSettings(): Promise<DnsSettings> {
    const { clusterDNS, clusterDomain, resolvConf, node } = this.#options;
    const text = resolvConf === "" ? undefined : await readFile(resolvConf, "utf8");
    return { clusterDNS, clusterDomain, resolvConf: text, nodeIPs: node.hostIPs() };
  }
}
