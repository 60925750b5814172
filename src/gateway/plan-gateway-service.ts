import type { Service } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { Gateway } from "./api/gateway-objects.ts";
import { gatewayGroup } from "./api/gateway-resources.ts";

/** Where a gateway listens. */
interface GatewayPlace {
  readonly address: string;
  readonly nodeName: string;
  /** The ports of its listeners, each with that where it is reached at the address. */
  readonly ports: ReadonlyMap<number, number>;
}

/** Marks Services of gateways. */
const gatewayNameLabel = `${gatewayGroup}/gateway-name`;
const managedBy = "gateway.k8ts";
/** Limit of names of Services (characters). */
const maxNameChars = 63;

/** The name of the Service with the address of a gateway. */
export function serviceNameOf({ metadata: { name = "", uid = "" } }: Gateway): string {
  const wanted = `${name}-k8ts`;
  const isName = wanted.length <= maxNameChars && !wanted.includes(".");
  return isName ? wanted : `gateway-${uid}`;
}

/** The Service with the address of a gateway, which is deleted with it; pure. */
export function planGatewayService(gateway: Gateway, { ports }: GatewayPlace): Service {
  const { labels, annotations } = gateway.spec.infrastructure ?? {};
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...metadataOf(gateway, serviceNameOf(gateway)),
      labels: { ...labels, ...ownLabels(gateway) },
      ...(annotations ? { annotations: { ...annotations } } : {}),
    },
    spec: {
      type: "LoadBalancer",
      // The gateway sees the addresses of clients.
      externalTrafficPolicy: "Local",
      ports: [...ports.keys()].map((port) => ({ name: `p${port}`, port, protocol: "TCP" })),
    },
  };
}

/** The endpoints of that Service: where the gateway listens. */
export function planGatewaySlice(gateway: Gateway, place: GatewayPlace): EndpointSlice {
  const { address, nodeName, ports } = place;
  const service = serviceNameOf(gateway);
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...metadataOf(gateway, service),
      labels: {
        ...ownLabels(gateway),
        "kubernetes.io/service-name": service,
        "endpointslice.kubernetes.io/managed-by": managedBy,
      },
    },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [
      {
        addresses: [address],
        conditions: { ready: true, serving: true, terminating: false },
        ...(nodeName ? { nodeName } : {}),
      },
    ],
    ports: [...ports].map(([port, bound]) => ({ name: `p${port}`, port: bound, protocol: "TCP" })),
  };
}

const ownLabels = ({ metadata, spec }: Gateway): Record<string, string> => ({
  [gatewayNameLabel]: metadata.name ?? "",
  [`${gatewayGroup}/gateway-class-name`]: spec.gatewayClassName,
});

function metadataOf({ apiVersion = "", metadata }: Gateway, name: string) {
  const { name: owner = "", namespace = "", uid = "" } = metadata;
  return {
    name,
    namespace,
    ownerReferences: [{ apiVersion, kind: "Gateway", name: owner, uid, controller: true }],
  };
}
