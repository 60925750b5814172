import type { IPFamily, Service } from "#/api/core/v1.ts";
import type { IPAddress } from "#/api/networking/v1.ts";
import { parseIpSloppy } from "#/machinery/meta/ip-rules.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { formatIp } from "#/std/net/ip.ts";
import type { AddressRange } from "./address-range.ts";
import { addressLabels, newIPAddress } from "./service-addresses.ts";

/**
 * Plans the repair of differences between Services and their allocated addresses; a pure function.
 *
 * Upstream: pkg/registry/core/service/ipallocator/controller/repairip.go.
 */

/** Grace period of an address without its Service, which may still be in creation. */
const orphanGraceMs = 60_000;
/** Grace period of an address that its Service does not have yet. */
const updateGraceMs = 5_000;

interface AddressState {
  readonly services: readonly Service[];
  readonly addresses: readonly IPAddress[];
  readonly ranges: readonly AddressRange[];
  readonly now: number;
}

/** One step of the repair, and its Event; no Event if the reason is "". */
export interface AddressStep {
  readonly about: Service | IPAddress;
  readonly reason: string;
  readonly message: string;
  /** Names of addresses to delete first, and the address to create after that. */
  readonly remove?: string;
  readonly create?: IPAddress;
}

/** All steps; those for Services come first. */
export function planAddressRepair(state: AddressState): AddressStep[] {
  const addresses = new Map(
    state.addresses.map((address) => [address.metadata.name ?? "", address]),
  );
  const services = new Map(state.services.map((service) => [keyOf(service.metadata), service]));
  return [
    ...state.services.flatMap((service) => repairService(service, state, { addresses, services })),
    ...state.addresses.flatMap((address) => repairAddress(address, state.now, services)),
  ];
}

interface Index {
  readonly addresses: ReadonlyMap<string, IPAddress>;
  readonly services: ReadonlyMap<string, Service>;
}

const keyOf = ({ namespace = "", name = "" }: { namespace?: string; name?: string }): string =>
  `${namespace}/${name}`;

function repairService(service: Service, { ranges }: AddressState, index: Index): AddressStep[] {
  const { clusterIP, clusterIPs = [] } = service.spec;
  if (!clusterIP || clusterIP === "None") return [];
  return clusterIPs.flatMap((text) => {
    const ip = parseIpSloppy(text);
    if (!ip) {
      const message = `Cluster IP ${text} is not a valid IP; please recreate Service`;
      return [{ about: service, reason: "ClusterIPNotValid", message }];
    }
    const family: IPFamily = ip.family === 6 ? "IPv6" : "IPv4";
    if (!ranges.some((range) => range.contains(ip))) {
      const message = `Cluster IP [${family}]: ${formatIp(ip)} is not within any configured Service CIDR; please recreate service`;
      return [{ about: service, reason: "ClusterIPOutOfRange", message }];
    }
    return checkAddress(service, formatIp(ip), family, index);
  });
}

function checkAddress(
  service: Service,
  name: string,
  family: IPFamily,
  { addresses, services }: Index,
): AddressStep[] {
  const address = addresses.get(name);
  const create = newIPAddress(name, family, service.metadata);
  const reason = "ClusterIPNotAllocated";
  if (!address) {
    const message = `Cluster IP [${family}]: ${name} is not allocated; repairing`;
    return [{ about: service, reason, message, create }];
  }
  const { parentRef } = address.spec;
  const other = services.get(keyOf(parentRef));
  const ofService = !parentRef.group && parentRef.resource === "services";
  if (!ofService || !other) {
    const message = `the ClusterIP [${family}]: ${name} for Service ${keyOf(service.metadata)} has a wrong reference; repairing`;
    return [{ about: service, reason, message, remove: name, create }];
  }
  if (other !== service && other.spec.clusterIPs?.includes(name)) {
    const message = `Cluster IP [${family}]:${name} was assigned to multiple services; please recreate service`;
    return [{ about: service, reason: "ClusterIPAlreadyAllocated", message }];
  }
  const labels = Object.entries(addressLabels(family));
  if (labels.every(([key, value]) => address.metadata.labels?.[key] === value)) return [];
  return [{ about: service, reason: "", message: "", remove: name, create }];
}

function repairAddress(
  address: IPAddress,
  now: number,
  services: ReadonlyMap<string, Service>,
): AddressStep[] {
  const { metadata, spec } = address;
  const { name: remove = "", creationTimestamp = "" } = metadata;
  if (!isManaged(address)) return [];
  const { parentRef } = spec;
  const parent = keyOf(parentRef);
  if (parentRef.group || parentRef.resource !== "services") {
    const shown = `&ParentReference{Group:${parentRef.group ?? ""},Resource:${parentRef.resource},Namespace:${parentRef.namespace ?? ""},Name:${parentRef.name},}`;
    const message = `IPAddress ${remove} appears to have been modified, not referencing a Service ${shown}: cleaning up`;
    return [{ about: address, reason: "IPAddressNotAllocated", message, remove }];
  }
  const ageMs = creationTimestamp === "" ? 0 : now - parseTime(creationTimestamp);
  const service = services.get(parent);
  if (!service) {
    if (ageMs <= orphanGraceMs) return [];
    const message = `IPAddress: ${remove} for Service ${parent} appears to have leaked: cleaning up`;
    return [{ about: address, reason: "IPAddressNotAllocated", message, remove }];
  }
  if (service.spec.clusterIPs?.includes(remove)) return [];
  const graceMs = service.spec.type === "ExternalName" ? orphanGraceMs : updateGraceMs;
  if (ageMs < graceMs) return [];
  const message = `IPAddress: ${remove} for Service ${parent} has a wrong reference; cleaning up`;
  return [{ about: address, reason: "IPAddressWrongReference", message, remove }];
}

function isManaged({ metadata }: IPAddress): boolean {
  const family = metadata.name?.includes(":") ? "IPv6" : "IPv4";
  return Object.entries(addressLabels(family)).some(
    ([key, value]) => key.endsWith("managed-by") && metadata.labels?.[key] === value,
  );
}
