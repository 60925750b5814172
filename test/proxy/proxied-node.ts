import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { Backend } from "#/proxy/base/backend.ts";
import { type IpFamily, ipFamilies } from "#/proxy/base/ip-family.ts";
import { localDetector } from "#/proxy/base/local-detector.ts";
import { proxyMetrics } from "#/proxy/base/metrics.ts";
import { nodePortAddresses } from "#/proxy/base/node-port-addresses.ts";
import { ServiceTracker } from "#/proxy/base/service-tracker.ts";
import { IptBackend } from "#/proxy/iptables/backend.ts";
import { IpvsBackend } from "#/proxy/ipvs/backend.ts";
import { NftBackend } from "#/proxy/nftables/backend.ts";
import { logger } from "#/std/log/log.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { NetworkNamespace } from "#/testing/network-namespace.ts";
import type { ProxyMode } from "./node-namespace.ts";
import { clusterCidr, nodeIps, nodeName, serviceCidrs } from "./objects.ts";

/** The node of objects.ts in a namespace, with our proxy's rules, written on request. */
export class ProxiedNode {
  readonly namespace: NetworkNamespace;
  readonly families: readonly { readonly tracker: ServiceTracker; readonly backend: Backend }[];

  constructor(namespace: NetworkNamespace, mode: ProxyMode, clock: Clock = systemClock) {
    this.namespace = namespace;
    this.families = ipFamilies.map((family) => {
      const tracker = new ServiceTracker(family, nodeName);
      tracker.setZone("z1");
      return { tracker, backend: this.#backend(family, mode, clock) };
    });
  }

  set(service: Service | undefined, slice: EndpointSlice | undefined): void {
    for (const { tracker } of this.families) {
      if (service) tracker.setService(`default/${service.metadata.name}`, service);
      if (slice) tracker.setSlice(slice, false);
    }
  }

  async sync(full: boolean): Promise<void> {
    const addresses = () => ({ machineIps: Object.values(nodeIps), serviceCidrs });
    for (const { tracker, backend } of this.families) {
      const { services } = tracker.take(full);
      await backend.sync({ full, services, addresses, totalEndpoints: 0 });
    }
  }

  #backend(family: IpFamily, mode: ProxyMode, clock: Clock): Backend {
    const detect = { podCIDRs: [], bridgeInterface: "", interfaceNamePrefix: "" };
    const clusterCIDRs = clusterCidr.split(",");
    const primary = mode === "nftables" ? [`${nodeIps.IPv4}/32`, `${nodeIps.IPv6}/128`] : [];
    const rules = {
      family,
      masqueradeAll: false,
      masqueradeBit: 14,
      localDetector: localDetector(family, { ...detect, mode: "ClusterCIDR", clusterCIDRs }),
      nodePorts: nodePortAddresses(family, primary),
      nodeIp: nodeIps[family],
      localhostNodePorts: family === "IPv4",
      conntrackLiberal: false,
    };
    const metrics = proxyMetrics(new Registry(), mode);
    const { run } = this.namespace;
    const log = logger("proxy-test");
    if (mode === "ipvs") {
      return new IpvsBackend({ rules, run, metrics, log, scheduler: "rr", excludeCidrs: [] });
    }
    if (mode === "iptables") return new IptBackend({ rules, run, metrics });
    return new NftBackend({ rules, run, metrics, log, clock });
  }
}
