import { FlagError } from "#/std/flags/flags.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import type { Storage } from "#/storage/base/storage.ts";
import type { ApiServerFlags } from "./flags/index.ts";
import type { ComponentProbe } from "./resources/core/component-probe.ts";
import { type CoreOptions, defaultCoreOptions } from "./resources/core/index.ts";
import type { PortRange } from "./resources/core/service/allocators/port-set.ts";

/** Default of --service-cluster-ip-range, as in upstream. */
const defaultServiceCidr = "10.0.0.0/24";

/** The networks of Services, from the flags. */
export function serviceNetworks(flags: ApiServerFlags): {
  serviceCidrs: readonly string[];
  serviceNetwork: Cidr;
} {
  const serviceCidrs = (flags["service-cluster-ip-range"] || defaultServiceCidr).split(",");
  const [first] = serviceCidrs.map((text) => {
    const cidr = parseCidr(text);
    if (!cidr)
      throw new FlagError(`service-cluster-ip-range: ${JSON.stringify(text)} is not a valid CIDR`);
    return cidr;
  });
  return { serviceCidrs, serviceNetwork: first as Cidr };
}

/** The node ports that Services may have. */
export function nodePortRange(flags: ApiServerFlags): PortRange {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(flags["service-node-port-range"]) ?? [];
  if (first === undefined || last === undefined) {
    throw new FlagError(
      `service-node-port-range: ${flags["service-node-port-range"]} is not a range of ports`,
    );
  }
  return { first: Number(first), last: Number(last) };
}

/** Settings of the core group's resources, from the flags. */
export function coreOptions(flags: ApiServerFlags, storage: Storage): CoreOptions {
  const { serviceCidrs } = serviceNetworks(flags);
  return {
    ...defaultCoreOptions,
    serviceFamilies: serviceCidrs.map((text) => (text.includes(":") ? "IPv6" : "IPv4")),
    nodePortRange: nodePortRange(flags),
    eventTimeToLiveSeconds: flags["event-ttl"] / 1000,
    componentProbes: [...defaultCoreOptions.componentProbes, storeProbe(storage)],
    sharesStore: !storage.exclusive,
  };
}

function storeProbe(storage: Storage): ComponentProbe {
  return {
    name: "etcd-0",
    async check() {
      await storage.health();
      return { healthy: true, message: "ok" };
    },
  };
}
