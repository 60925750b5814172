/** Upstream: pkg/controller/servicecidrs/servicecidrs_controller.go, pkg/api/servicecidr/servicecidr.go. */
import type { ServiceCIDR } from "#/api/networking/v1.ts";
import { type Cidr, cidrContains, cidrsOverlap, parseCidr } from "#/std/net/cidr.ts";
import { parseNetIp } from "#/std/net/ip.ts";

const rangesOf = ({ spec }: ServiceCIDR): Cidr[] =>
  (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);

/** Whether two networks have addresses in common. */
export const isOverlapping = (a: ServiceCIDR, b: ServiceCIDR): boolean =>
  rangesOf(a).some((one) => rangesOf(b).some((other) => cidrsOverlap(one, other)));

/** The networks that contain an address, also those being deleted. */
export function networksWith(address: string, all: readonly ServiceCIDR[]): ServiceCIDR[] {
  const ip = parseNetIp(address);
  if (!ip) return [];
  return all.filter((cidr) => rangesOf(cidr).some((range) => cidrContains(range, ip)));
}

/** Whether a network may be deleted: others contain all of it, or all of its addresses in use. */
export function mayDelete(
  cidr: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: readonly string[],
): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name);
  const isInside = (range: Cidr): boolean =>
    others.some((other) => rangesOf(other).some((outer) => includes(outer, range)));
  if (rangesOf(cidr).every(isInside)) return true;
  return addresses.every(
    (address) =>
      networksWith(address, [cidr]).length === 0 || networksWith(address, others).length > 0,
  );
}

const includes = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.ip);
