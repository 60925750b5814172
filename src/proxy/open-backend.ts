import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backend } from "./base/backend.ts";
import { type IpFamily, networksOf } from "./base/ip-family.ts";
import { localDetector } from "./base/local-detector.ts";
import type { ProxyMetrics, ProxyMode } from "./base/metrics.ts";
import type { NodeFacts } from "./base/node-facts.ts";
import { expandAddressWords, nodePortAddresses } from "./base/node-port-addresses.ts";
import type { RuleOptions } from "./base/rule-options.ts";
import { clusterCidrs, type KubeProxyConfiguration } from "./config/kube-proxy-configuration.ts";
import { kernelValue, setKernelValue } from "./conntrack/conntrack-settings.ts";

/** A configuration, and what was found out about the node. */
export interface NodeSetup {
  readonly config: KubeProxyConfiguration;
  readonly mode: ProxyMode;
  readonly families: readonly IpFamily[];
  readonly ips: Readonly<Record<IpFamily, string>>;
  readonly facts: NodeFacts;
  readonly run: RunProgram;
  readonly metrics: ProxyMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The backend of a mode, whose modules are loaded now: a process has one mode. */
export async function openBackend(setup: NodeSetup, rules: RuleOptions): Promise<Backend> {
  const { mode, config } = setup;
  switch (mode) {
    case "nftables": {
      const { NftBackend } = await import("./nftables/backend.ts");
      return new NftBackend({ ...setup, rules });
    }
    case "iptables": {
      const { IptBackend } = await import("./iptables/backend.ts");
      return new IptBackend({ ...setup, rules });
    }
    case "ipvs": {
      const { IpvsBackend } = await import("./ipvs/backend.ts");
      const { schedulerOf } = await import("./prepare-ipvs.ts");
      const excludeCidrs = networksOf(rules.family, config.ipvs.excludeCIDRs);
      return new IpvsBackend({ ...setup, rules, excludeCidrs, scheduler: schedulerOf(config) });
    }
    default:
      return mode satisfies never;
  }
}

/** Lets the kernel route packets from 127.0.0.1, if node ports listen there. */
export async function allowLocalhost(setup: NodeSetup): Promise<void> {
  if (!setup.families.some((family) => servesLocalhost(setup, family))) return;
  await setKernelValue("net/ipv4/conf/all/route_localnet", 1, setup.log);
}

/** What a configuration says about the rules of a family. */
export async function ruleOptions(setup: NodeSetup, family: IpFamily): Promise<RuleOptions> {
  const { config, mode, ips, facts } = setup;
  const { masqueradeAll, masqueradeBit } = config[mode === "nftables" ? mode : "iptables"];
  const liberal = await kernelValue("net/netfilter/nf_conntrack_tcp_be_liberal");
  return {
    family,
    masqueradeAll,
    masqueradeBit,
    localDetector: localDetector(family, {
      mode: config.detectLocalMode || "ClusterCIDR",
      clusterCIDRs: clusterCidrs(config),
      podCIDRs: facts.podCIDRs,
      ...config.detectLocal,
    }),
    nodePorts: nodePortsOf(setup, family),
    nodeIp: ips[family],
    localhostNodePorts: servesLocalhost(setup, family),
    conntrackLiberal: (liberal ?? 0) !== 0,
  };
}

function servesLocalhost(setup: NodeSetup, family: IpFamily): boolean {
  const { containsIpv4Loopback } = nodePortsOf(setup, family);
  return (
    setup.mode === "iptables" && setup.config.iptables.localhostNodePorts && containsIpv4Loopback
  );
}

function nodePortsOf({ config, ips }: NodeSetup, family: IpFamily) {
  return nodePortAddresses(family, expandAddressWords(config.nodePortAddresses, ips));
}
