import type { LoadBalancerIngress, Service } from "#/api/core/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import { formatIp, parseIp } from "#/std/net/ip.ts";
import { compareText } from "#/std/text/compare-text.ts";
import { RetryAfterError } from "../base/provider.ts";
import { type AddressPool, type Family, familyOf } from "./address-pool.ts";

/** Addresses that a Service requests, separated by commas: one per family. */
const addressAnnotation = "k8ts.dev/load-balancer-ips";
/** Delay (ms) until a Service without address tries again: another one may have been deleted. */
const exhaustedMs = 10_000;

/** The state that addresses are planned from. */
interface AddressState {
  readonly pool: AddressPool;
  /** All Services that this provider balances. */
  readonly services: readonly Service[];
  /** Addresses that were given and are not in a status yet, by the Service's key. */
  readonly reserved: ReadonlyMap<string, readonly string[]>;
}

/** The addresses in a Service's status. */
export const addressesOf = ({ status }: Service): string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));

/** The status with these addresses. Connections to them are handled on nodes, by the proxy. */
export const ingressOf = (addresses: readonly string[]): LoadBalancerIngress[] =>
  addresses.map((ip) => ({ ip, ipMode: "VIP" }));

/** The addresses that a Service must have: those that it has, or requests, or free ones. Throws if that can't be. */
export function planServiceAddresses(service: Service, state: AddressState): string[] {
  const requested = requestedAddresses(service);
  const owners = ownersOf(service, state);
  const has = [...(state.reserved.get(keyOf(service)) ?? []), ...addressesOf(service)];
  const families = (service.spec?.ipFamilies ?? ["IPv4"]) as Family[];
  const foreign = requested.find((address) => !families.includes(familyOf(address)));
  if (foreign) throw new Error(`the Service has no addresses of the family of ${foreign}`);
  return families.map((family) => {
    const wanted = requested.find((address) => familyOf(address) === family);
    if (wanted !== undefined) return checked(wanted, state.pool, owners);
    const kept = has.find(
      (address) => familyOf(address) === family && state.pool.has(address) && !owners.has(address),
    );
    return kept ?? freeAddress(service, family, { pool: state.pool, owners });
  });
}

function requestedAddresses({ spec, metadata }: Service): string[] {
  const texts = (metadata.annotations?.[addressAnnotation] ?? "").split(",");
  return [...texts, spec?.loadBalancerIP ?? ""]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => {
      const ip = parseIp(text);
      if (!ip) throw new Error(`the requested address "${text}" is not valid`);
      return formatIp(ip);
    });
}

function checked(address: string, pool: AddressPool, owners: ReadonlyMap<string, string>): string {
  if (!pool.has(address)) {
    throw new Error(`the requested address ${address} is not in the pool ${pool}`);
  }
  const owner = owners.get(address);
  if (owner === undefined) return address;
  const text = `the requested address ${address} is that of Service ${owner}`;
  throw new RetryAfterError(text, exhaustedMs);
}

function freeAddress(
  service: Service,
  family: Family,
  { pool, owners }: { readonly pool: AddressPool; readonly owners: ReadonlyMap<string, string> },
): string {
  const networks = pool.ofFamily(family);
  if (networks === "") throw new Error(`there is no pool of ${family} addresses`);
  const found = pool.findFree(family, keyOf(service), (address) => owners.has(address));
  if (found !== undefined) return found;
  throw new RetryAfterError(`all addresses of the pool ${networks} are in use`, exhaustedMs);
}

/** The Services that have addresses before this one, by address: of two with the same address the older one keeps it. */
function ownersOf(service: Service, { services, reserved }: AddressState): Map<string, string> {
  const own = keyOf(service);
  const owners = new Map<string, string>();
  for (const [key, addresses] of reserved) {
    if (key !== own) for (const address of addresses) owners.set(address, key);
  }
  const held = new Set(reserved.get(own));
  for (const other of services) {
    const key = keyOf(other);
    if (key === own) continue;
    const isOlder = compareText(ageOf(other), ageOf(service)) < 0;
    for (const address of addressesOf(other)) {
      const isMine = held.has(address) || addressesOf(service).includes(address);
      if (isOlder || !isMine) owners.set(address, key);
    }
  }
  return owners;
}

const ageOf = (service: Service): string =>
  `${service.metadata.creationTimestamp ?? ""} ${keyOf(service)}`;
