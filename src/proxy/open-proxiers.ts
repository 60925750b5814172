import { parseDuration } from "#/std/go/duration.ts";
import type { Backend } from "./base/backend.ts";
import { type IpFamily, networksOf } from "./base/ip-family.ts";
import { localDetector } from "./base/local-detector.ts";
import { machineIps } from "./base/machine-ips.ts";
import type { ProxyMode } from "./base/metrics.ts";
import type { NodeFacts } from "./base/node-facts.ts";
import { expandAddressWords, nodePortAddresses, servingIps } from "./base/node-port-addresses.ts";
import type { ProxySteps } from "./base/proxy-steps.ts";
import type { RuleOptions } from "./base/rule-options.ts";
import { clusterCidrs } from "./config/kube-proxy-configuration.ts";
import { kernelValue, setKernelValue } from "./conntrack/conntrack-settings.ts";
import type { ProxyHealth } from "./health/proxy-health.ts";
import { ServiceHealth } from "./health/service-health.ts";
import { IptBackend } from "./iptables/backend.ts";
import { IpvsBackend } from "./ipvs/backend.ts";
import { NftBackend } from "./nftables/backend.ts";
import { schedulerOf } from "./prepare-ipvs.ts";
import { Proxier } from "./proxier.ts";
import type { ProxyOptions } from "./serve-proxy.ts";

interface ProxierSetup extends Omit<ProxyOptions, "steps"> {
  readonly steps: ProxySteps;
  readonly mode: ProxyMode;
  readonly families: readonly IpFamily[];
  readonly ips: Readonly<Record<IpFamily, string>>;
  readonly facts: NodeFacts;
  readonly health: ProxyHealth;
}

/** A proxier for each family, and their health checks. */
interface Proxiers extends AsyncDisposable {
  readonly list: readonly Proxier[];
}

/** Opens the proxiers of a configuration. */
export async function openProxiers(setup: ProxierSetup): Promise<Proxiers> {
  const list: Proxier[] = [];
  const checks: ServiceHealth[] = [];
  for (const family of setup.families) {
    const rules = await ruleOptions(setup, family);
    const serviceHealth = openServiceHealth(setup, rules);
    checks.push(serviceHealth);
    const { syncPeriod, minSyncPeriod } = setup.config[setup.mode];
    list.push(
      new Proxier({
        ...setup,
        family,
        backend: openBackend(setup, rules),
        serviceHealth,
        syncMs: parseDuration(syncPeriod),
        minSyncMs: parseDuration(minSyncPeriod),
      }),
    );
  }
  const close = async (): Promise<void> => {
    for (const check of checks) await check[Symbol.asyncDispose]();
  };
  return { list, [Symbol.asyncDispose]: close };
}

function openBackend(setup: ProxierSetup, rules: RuleOptions): Backend {
  const { mode, config } = setup;
  switch (mode) {
    case "nftables":
      return new NftBackend({ ...setup, rules });
    case "iptables":
      return new IptBackend({ ...setup, rules });
    case "ipvs": {
      const excludeCidrs = networksOf(rules.family, config.ipvs.excludeCIDRs);
      return new IpvsBackend({ ...setup, rules, excludeCidrs, scheduler: schedulerOf(config) });
    }
    default:
      return mode satisfies never;
  }
}

async function ruleOptions(setup: ProxierSetup, family: IpFamily): Promise<RuleOptions> {
  const { config, mode, ips, facts, log } = setup;
  const nodePorts = nodePortAddresses(family, expandAddressWords(config.nodePortAddresses, ips));
  const localhostNodePorts =
    mode === "iptables" && config.iptables.localhostNodePorts && nodePorts.containsIpv4Loopback;
  if (localhostNodePorts) await setKernelValue("net/ipv4/conf/all/route_localnet", 1, log);
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
    nodePorts,
    nodeIp: ips[family],
    localhostNodePorts,
    conntrackLiberal: (liberal ?? 0) !== 0,
  };
}

function openServiceHealth(setup: ProxierSetup, { family, nodePorts }: RuleOptions): ServiceHealth {
  const { health, log, nodeName, recorder } = setup;
  const everywhere = family === "IPv4" ? "0.0.0.0" : "::";
  return new ServiceHealth({
    hosts: nodePorts.all ? [everywhere] : servingIps(family, nodePorts, machineIps()),
    proxyHealth: health,
    onFailure(service, port, error) {
      log.error(error, "failed to start healthcheck", { node: nodeName, service, port });
      const [namespace = "", name = ""] = service.split("/");
      const reason = error instanceof Error ? error.message : String(error);
      const message = `node ${nodeName} failed to start healthcheck "${service}" on port ${port}: ${reason}`;
      const about = { apiVersion: "v1", kind: "Service", namespace, name };
      const details = { action: "Listen" };
      recorder.event(about, "Warning", "FailedToStartServiceHealthcheck", message, details);
    },
  });
}
