import type { ServiceReference } from "#/api/apiregistration/v1.ts";
import { type Service, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import {
  notFound,
  serviceUnavailable,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import { systemRandom } from "#/std/base/random.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Location } from "../outgoing/location.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../registry/store.ts";
import { chooseEndpoint, slicesOf } from "./choose-endpoint.ts";

/** Lookup of Services and their endpoints. */
export interface ServiceStores {
  readonly services: Store;
  readonly slices: Store;
}

/** The stores of a server. */
export const serviceStores = (registry: Registry): ServiceStores => ({
  services: registry.store(services),
  slices: registry.store(endpointSlices),
});

const clusterTypes = new Set(["ClusterIP", "LoadBalancer", "NodePort"]);

/**
 * Address of a Service: its cluster IP, or (--enable-aggregator-routing) one of its endpoints.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/proxy/proxy.go.
 */
export function resolveService(
  { services, slices }: ServiceStores,
  { namespace = "", name = "", port = 443 }: ServiceReference,
  toEndpoints: boolean,
): Pick<Location, "scheme" | "hostname"> & { port: number } {
  const found = services.findCached(namespace, name)?.parsed() as unknown as Service | undefined;
  if (!found) throw notFound({ group: "", name: "service" }, name);
  const { type = "ClusterIP", clusterIP = "", externalName = "", ports, ipFamilies } = found.spec;
  if (!toEndpoints && type === "ExternalName") {
    return { scheme: "https", hostname: externalName, port };
  }
  if (!clusterTypes.has(type))
    throw statusWithoutReason(`unsupported service type ${goQuote(type)}`);
  if (!toEndpoints && clusterIP === "None") {
    throw statusWithoutReason('cannot route to service with ClusterIP "None"');
  }
  const declared = ports?.find((candidate) => candidate.port === port);
  if (!declared) {
    throw serviceUnavailable(`no service port ${port} found for service ${goQuote(name)}`);
  }
  if (!toEndpoints) return { scheme: "https", hostname: clusterIP, port };
  const endpoint = chooseEndpoint({
    service: name,
    slices: slicesOf(slices, namespace, name),
    portName: declared.name ?? "",
    family: ipFamilies?.[0],
    random: systemRandom,
  });
  return { scheme: "https", ...endpoint };
}
