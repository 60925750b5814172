import type { Endpoint, EndpointSlice } from "#/api/discovery/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { serviceUnavailable } from "#/machinery/meta/status-error.ts";
import { type Random, randomInt } from "#/std/base/random.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Store } from "../registry/store.ts";

const serviceLabel = "kubernetes.io/service-name";

/** The Service of an EndpointSlice. */
export function serviceOf({ labels }: ObjectMeta): string | undefined {
  return labels?.[serviceLabel];
}

/** The EndpointSlices of a Service in the server's cache. */
export function slicesOf(store: Store, namespace: string, service: string): EndpointSlice[] {
  const slices: EndpointSlice[] = [];
  const prefix = `${namespace}/`;
  for (const [key, stored] of store.cache.snapshot().items.entries(prefix)) {
    if (!key.startsWith(prefix)) break;
    if (serviceOf(stored.parsed().metadata) !== service) continue;
    slices.push(stored.parsed() as unknown as EndpointSlice);
  }
  return slices;
}

interface EndpointChoice {
  readonly service: string;
  readonly slices: readonly EndpointSlice[];
  readonly portName: string;
  /** The preferred IP family. */
  readonly family?: string | undefined;
  readonly random: Random;
  /** Refuses endpoints that may not be connected to. */
  readonly accept?: (endpoint: Endpoint) => boolean;
}

/**
 * A ready endpoint that serves a port, or 503.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/proxy/proxy.go (RandomEndpoint).
 */
export function chooseEndpoint(choice: EndpointChoice): { hostname: string; port: number } {
  const { service, slices, portName, family, random, accept = () => true } = choice;
  const shuffled = slices
    .map((slice) => ({ slice, order: (slice.addressType === family ? 0 : 1) + random() }))
    .sort((a, b) => a.order - b.order);
  for (const { slice } of shuffled) {
    const named = slice.ports?.filter(({ name, port }) => (name ?? "") === portName && port);
    const { endpoints = [] } = slice;
    for (const { port } of named ?? []) {
      const offset = randomInt(random, endpoints.length);
      const rotated = [...endpoints.slice(offset), ...endpoints.slice(0, offset)];
      const ready = rotated.find(
        (endpoint) => endpoint.conditions?.ready !== false && accept(endpoint),
      );
      const hostname = ready?.addresses[0];
      if (hostname !== undefined && port !== undefined) return { hostname, port };
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${goQuote(service)}`);
}
