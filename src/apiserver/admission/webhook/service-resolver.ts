import type { Destination } from "../../outgoing/http-call.ts";
import { resolveService, serviceStores } from "../../proxy/resolve-service.ts";
import type { Registry } from "../../registry/registry.ts";

/** Finds the address of a Service. Throws if there is none. */
export type ResolveService = (namespace: string, name: string, port: number) => Destination;

/** Finds Services at their cluster IPs, or at an endpoint if cluster IPs are not routed. */
export function serviceResolver(registry: Registry, toEndpoints: boolean): ResolveService {
  const stores = serviceStores(registry);
  return (namespace, name, port) => {
    const found = resolveService(stores, { namespace, name, port }, toEndpoints);
    return { host: found.hostname, port: found.port };
  };
}
