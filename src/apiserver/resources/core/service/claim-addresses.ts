import { type IPFamily, type Service, services } from "#/api/core/v1.ts";
import { invalid } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { parseIpSloppy } from "#/machinery/meta/ip-rules.ts";
import { internalError, invalid as invalidObject } from "#/machinery/meta/status-error.ts";
import type { Ip } from "#/std/net/ip.ts";
import type { Claim, Decoded, RequestContext } from "../../../registry/strategy.ts";
import { AllocationError } from "./allocators/allocation-error.ts";
import type { ServiceAddresses } from "./allocators/service-addresses.ts";
import { keepsPreference } from "./ip-families.ts";
import { isHeadless } from "./kinds-of-service.ts";

/**
 * The cluster IPs of a Service: allocated when it is written, released if the write fails or when it is deleted.
 *
 * Upstream: pkg/registry/core/service/storage/alloc.go.
 */

/** Allocates the addresses that a Service needs; old is the Service that an update replaces. */
export async function claimAddresses(
  service: Decoded<Service>,
  old: Service | undefined,
  addresses: ServiceAddresses,
  context: RequestContext,
): Promise<Claim> {
  const { from, released } = old ? planUpdate(service, old) : planCreate(service);
  const taken: Ip[] = [];
  const release = async (ips: readonly Ip[]): Promise<void> => {
    if (context.dryRun) return;
    for (const ip of ips) await addresses.release(ip, context);
  };
  try {
    if (from !== undefined) await takeAll(service, from, { addresses, taken, context });
  } catch (error) {
    await release(taken);
    throw error;
  }
  return {
    commit: () => release(released.flatMap((text) => parseIpSloppy(text) ?? [])),
    rollback: () => release(taken),
  };
}

/** Index of the first family that needs an address, and the addresses to release. */
interface AddressPlan {
  readonly from: number | undefined;
  readonly released: readonly string[];
}

const nothing: AddressPlan = { from: undefined, released: [] };

function planCreate(service: Service): AddressPlan {
  if (service.spec.type === "ExternalName" || isHeadless(service)) return nothing;
  return { from: 0, released: [] };
}

function planUpdate(service: Service, old: Service): AddressPlan {
  if (keepsPreference(service, old)) return nothing;
  const { type, ipFamilies: families = [] } = service.spec;
  const { type: oldType, ipFamilies: oldFamilies = [], clusterIPs: oldIPs = [] } = old.spec;
  if (oldType === "ExternalName" && type !== "ExternalName") return planCreate(service);
  if (isHeadless(old)) return nothing;
  if (oldType !== "ExternalName" && type === "ExternalName") {
    return { from: undefined, released: oldIPs };
  }
  if (oldFamilies.length === 1 && families.length === 2) return { from: 1, released: [] };
  if (oldFamilies.length === 2 && families.length === 1) {
    return { from: undefined, released: oldIPs.slice(1) };
  }
  return nothing;
}

interface Allocation {
  readonly addresses: ServiceAddresses;
  readonly taken: Ip[];
  readonly context: RequestContext;
}

async function takeAll(
  service: Decoded<Service>,
  from: number,
  allocation: Allocation,
): Promise<void> {
  const { spec } = service;
  const ips = [...(spec.clusterIPs ?? [])];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (index >= from) ips[index] = await takeOne(service, family, ips[index] ?? "", allocation);
  }
  spec.clusterIPs = ips;
  if (from === 0 && ips[0]) spec.clusterIP = ips[0];
}

async function takeOne(
  service: Decoded<Service>,
  family: IPFamily,
  requested: string,
  { addresses, taken, context }: Allocation,
): Promise<string> {
  try {
    const address = requested || (await addresses.takeAny(family, service, context));
    const ip = parseIpSloppy(address);
    if (!ip) throw new Error(`failed to parse service IP "${address}"`);
    if (requested) await addresses.take(ip, service, context);
    taken.push(ip);
    return address;
  } catch (error) {
    if (error instanceof AllocationError) throw refusal(service, requested, error);
    throw error;
  }
}

function refusal({ metadata, spec }: Decoded<Service>, requested: string, cause: AllocationError) {
  const { name = "" } = metadata;
  if (cause.isFull && requested === "") {
    const text = `failed to allocate a serviceIP for Service ${JSON.stringify(name)}: ${cause.message}`;
    return internalError(new Error(text));
  }
  const which = requested === "" ? "" : ` ${requested}`;
  const detail = `failed to allocate IP${which}: ${cause.message}`;
  const ips = spec.clusterIPs?.length ? spec.clusterIPs : null;
  return invalidObject(services, name, [invalid(fieldPath("spec", "clusterIPs"), ips, detail)]);
}
