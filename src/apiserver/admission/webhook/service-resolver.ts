import { type Service, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import { notFound } from "#/machinery/status-error.ts";
import { goQuote } from "#/std/go-quote.ts";
import { randomInt, systemRandom } from "#/std/random.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { findObject, listObjects } from "../find-object.ts";
import type { Destination } from "./go-network-error.ts";

/** Finds out where a service can be reached. Throws if it can't. */
export type ResolveService = (namespace: string, name: string, port: number) => Destination;

const serviceLabel = "kubernetes.io/service-name";
const routable = ["ClusterIP", "LoadBalancer", "NodePort"];

/** Services by their cluster address. Upstream: apiserver/pkg/util/proxy/proxy.go. */
export function clusterAddresses(registry: Registry): ResolveService {
  return (namespace, name, port) => {
    const { spec } = serviceOf(registry, namespace, name);
    const { type = "ClusterIP", clusterIP = "", externalName = "" } = spec ?? {};
    if (type === "ClusterIP" && clusterIP === "None") {
      throw new Error('cannot route to service with ClusterIP "None"');
    }
    if (type === "ExternalName") return { host: externalName, port };
    if (!routable.includes(type)) throw new Error(`unsupported service type ${goQuote(type)}`);
    checkPort(spec, name, port);
    return { host: clusterIP, port };
  };
}

/** Services by the address of one of their endpoints, where nobody routes cluster addresses. */
export function endpointAddresses(registry: Registry): ResolveService {
  return (namespace, name, port) => {
    const { spec } = serviceOf(registry, namespace, name);
    const { type = "ClusterIP" } = spec ?? {};
    if (!routable.includes(type)) throw new Error(`unsupported service type ${goQuote(type)}`);
    const { name: portName = "" } = checkPort(spec, name, port);
    const candidates = endpointsOf(registry, namespace, name, portName);
    const chosen = candidates[randomInt(systemRandom, candidates.length)];
    if (!chosen) throw new Error(`no endpoints available for service ${goQuote(name)}`);
    return chosen;
  };
}

function serviceOf(registry: Registry, namespace: string, name: string): Decoded<Service> {
  const found = findObject(registry, services, namespace, name);
  if (!found) throw notFound({ group: "", name: "service" }, name);
  return found;
}

function checkPort(spec: Service["spec"], name: string, wanted: number) {
  const found = spec?.ports?.find(({ port }) => port === wanted);
  if (found) return found;
  throw new Error(`no service port ${wanted} found for service ${goQuote(name)}`);
}

function endpointsOf(
  registry: Registry,
  namespace: string,
  name: string,
  portName: string,
): Destination[] {
  return [...listObjects(registry, endpointSlices, namespace)]
    .filter(({ metadata }) => metadata.labels?.[serviceLabel] === name)
    .flatMap(({ ports = [], endpoints = [] }) => {
      const port = ports.find((one) => (one.name ?? "") === portName)?.port;
      if (port === undefined) return [];
      return endpoints
        .filter(({ conditions }) => conditions?.ready !== false)
        .flatMap(({ addresses: [host] }) => (host === undefined ? [] : [{ host, port }]));
    });
}
