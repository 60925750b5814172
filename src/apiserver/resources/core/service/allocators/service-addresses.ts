import type { IPFamily, Service } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import {
  type IPAddress,
  ipAddresses,
  type ServiceCIDR,
  serviceCIDRs,
} from "#/api/networking/v1.ts";
import { isAlreadyExists, isNotFound } from "#/machinery/meta/status-error.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { formatCidr, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, type Ip } from "#/std/net/ip.ts";
import type { Store } from "../../../../registry/store.ts";
import type { ApiObject, Decoded, RequestContext } from "../../../../registry/strategy.ts";
import { AddressRange } from "./address-range.ts";
import { AllocationError, rangeFull } from "./allocation-error.ts";

const group = "networking.k8s.io";
const familyLabel = "ipaddress.kubernetes.io/ip-family";
const managedByLabel = "ipaddress.kubernetes.io/managed-by";
const manager = "ipallocator.k8s.io";

/**
 * The addresses of Services: ServiceCIDRs are the networks, and an address is allocated by creating the IPAddress
 * of its name, which the store allows once. So any number of API servers can allocate at the same time.
 *
 * Upstream: pkg/registry/core/service/ipallocator/{ipallocator,cidrallocator}.go.
 */
export class ServiceAddresses {
  readonly #random: Random;

  constructor(random: Random = systemRandom) {
    this.#random = random;
  }

  /** Allocates a certain address. Throws AllocationError. */
  async take(ip: Ip, service: Decoded<Service>, context: RequestContext): Promise<void> {
    const ranges = readyRanges(familyOf(ip), context);
    if (context.dryRun) return checkDryRun(ip, ranges);
    if (!ranges.some((range) => range.contains(ip))) {
      throw new AllocationError("the provided network does not match the current range");
    }
    const taken = await this.#create(formatIp(ip), familyOf(ip), service, context);
    if (!taken) throw new AllocationError("provided IP is already allocated");
  }

  /** Allocates any free address of a family. Throws AllocationError. */
  async takeAny(
    family: IPFamily,
    service: Decoded<Service>,
    context: RequestContext,
  ): Promise<string> {
    const ranges = readyRanges(family, context);
    // A dry run returns the network address, as upstream does.
    if (context.dryRun && ranges[0]) return formatIp(ranges[0].cidr.ip);
    const known = addresses(context);
    for (const range of ranges) {
      for (const name of range.candidates(this.#random)) {
        if (known.findCached("", name)) continue;
        if (await this.#create(name, family, service, context)) return name;
      }
    }
    throw rangeFull();
  }

  /** Releases an address. */
  async release(ip: Ip, context: RequestContext): Promise<void> {
    try {
      await addresses(context).delete(formatIp(ip), {}, () => undefined, ownContext(context));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Returns false if the address is already allocated. */
  async #create(
    name: string,
    family: IPFamily,
    { metadata }: Decoded<Service>,
    context: RequestContext,
  ): Promise<boolean> {
    const address = newIPAddress(name, family, metadata);
    try {
      await addresses(context).create(address, () => undefined, ownContext(context));
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }
}

/** The IPAddress object that allocates an address for a Service. */
export function newIPAddress(
  name: string,
  family: IPFamily,
  { namespace = "", name: service = "" }: ObjectMeta,
): Decoded<IPAddress> {
  return {
    kind: "IPAddress",
    apiVersion: `${group}/v1`,
    metadata: { name, labels: addressLabels(family) },
    spec: { parentRef: { resource: "services", namespace, name: service } },
  };
}

/** The labels of addresses that API servers allocate. */
export const addressLabels = (family: IPFamily): Record<string, string> => ({
  [familyLabel]: family,
  [managedByLabel]: manager,
});

function checkDryRun(ip: Ip, ranges: readonly AddressRange[]): void {
  const [range] = ranges;
  if (!range || range.contains(ip)) return;
  const valid = formatCidr(range.cidr);
  throw new AllocationError(
    `the provided IP (${formatIp(ip)}) is not in the valid range. The range of valid IPs is ${valid}`,
  );
}

const addresses = (context: RequestContext): Store => context.store(ipAddresses);

/** The context of the server's own writes, which are not part of the client's request. */
function ownContext({ apiVersion, ...context }: RequestContext): RequestContext {
  return {
    ...context,
    user: undefined,
    namespace: "",
    subresource: "",
    dryRun: false,
    warn: () => undefined,
  };
}

const familyOf = ({ family }: Ip): IPFamily => (family === 6 ? "IPv6" : "IPv4");

/** The ready networks of a family, each once. */
function readyRanges(family: IPFamily, context: RequestContext): AddressRange[] {
  const ranges = new Map<string, AddressRange>();
  const { items } = context.store(serviceCIDRs).cache.snapshot();
  for (const [, stored] of items.entries()) {
    const serviceCidr = stored.parsed() as Decoded<ServiceCIDR>;
    if (!isReady(serviceCidr)) continue;
    for (const text of serviceCidr.spec.cidrs ?? []) {
      const cidr = parseCidr(text);
      if (!cidr || familyOf(cidr.ip) !== family || ranges.has(text)) continue;
      ranges.set(text, new AddressRange(cidr));
    }
  }
  return [...ranges.values()];
}

/** A network is ready unless a condition says otherwise. */
function isReady({ metadata, status }: ServiceCIDR & ApiObject): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && (!ready || ready.status === "True");
}
