import type { Protocol } from "#/api/core/v1.ts";
import type { EndpointSlice, Endpoint as SliceEndpoint } from "#/api/discovery/v1.ts";
import { canonicalAddress, hostPort } from "./ip-family.ts";

/** One address and port behind a service port. */
export interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, which identifies it. */
  readonly address: string;
  /** Whether it is on this node. */
  readonly local: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}

/** The key under which endpointsByPort lists the endpoints of a service port. */
export function portKey(portName: string, protocol: Protocol): string {
  return `${portName}/${protocol}`;
}

/**
 * The endpoints of one service from all of its slices of one family, by portKey, each list in the
 * order of addresses. An address in several slices counts once; the last one that isn't terminating
 * wins. Upstream: pkg/proxy/endpointslicecache.go.
 */
export function endpointsByPort(
  slices: Iterable<EndpointSlice>,
  nodeName: string,
): Map<string, Endpoint[]> {
  const byPort = new Map<string, Map<string, Endpoint>>();
  for (const slice of slices) {
    for (const { name, port, protocol = "TCP" } of slice.ports ?? []) {
      if (name === undefined || !port) continue;
      const key = portKey(name, protocol);
      const known = byPort.get(key) ?? new Map<string, Endpoint>();
      byPort.set(key, known);
      for (const each of slice.endpoints ?? []) {
        const endpoint = endpointOf(each, port, nodeName);
        if (!endpoint || (endpoint.terminating && known.has(endpoint.address))) continue;
        known.set(endpoint.address, endpoint);
      }
    }
  }
  const sorted = [...byPort].map(([key, known]) => [key, [...known.values()].sort(byAddress)]);
  return new Map(sorted as [string, Endpoint[]][]);
}

function endpointOf(
  { addresses, conditions, nodeName, hints }: SliceEndpoint,
  port: number,
  thisNode: string,
): Endpoint | undefined {
  const ip = canonicalAddress(addresses[0] ?? "");
  if (ip === undefined) return undefined;
  return {
    ip,
    port,
    address: hostPort(ip, port),
    local: nodeName !== undefined && nodeName === thisNode,
    ready: conditions?.ready ?? true,
    serving: conditions?.serving ?? true,
    terminating: conditions?.terminating ?? false,
    zoneHints: (hints?.forZones ?? []).map(({ name }) => name),
    nodeHints: (hints?.forNodes ?? []).map(({ name }) => name),
  };
}

function byAddress(a: Endpoint, b: Endpoint): number {
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}
