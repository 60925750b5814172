import type { Destination } from "../../outgoing/http-call.ts";
import { resolveService, serviceStores } from "../../proxy/resolve-service.ts";
import type { Registry } from "../../registry/registry.ts";

/** Finds out where a service can be reached. Throws if it can't. */
export type ResolveService = (namespace: string, name: string, port: number) => Destination;

/** Finds services at their own addresses, or at one of their endpoints, where cluster addresses are not routed. */
export function serviceResolver(registry: Registry, toEndpoints: boolean): ResolveService {
  const stores = serviceStores(registry);
  return (namespace, name, port) => {
    const found = resolveService(stores, { namespace, name, port }, toEndpoints);
    return { host: found.hostname, port: found.port };
  };
}
