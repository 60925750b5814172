import type { EndpointSlice } from "#/api/discovery/v1.ts";

/** Where the gateway listens, and the Service that leads there. */
export interface PublishedEndpoint {
  /** As namespace/name. */
  readonly service: string;
  readonly address: string;
  readonly nodeName: string;
  readonly ports: Readonly<Record<string, number>>;
}

/** The EndpointSlice of a gateway; pure. */
export function planSlice({ service, address, nodeName, ports }: PublishedEndpoint): EndpointSlice {
  const [namespace = "", name = ""] = service.split("/");
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${nodeName || "local"}`,
      namespace,
      labels: {
        "kubernetes.io/service-name": name,
        "endpointslice.kubernetes.io/managed-by": "gateway.k8ts",
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
    ports: Object.entries(ports).map(([portName, port]) => ({
      name: portName,
      port,
      protocol: "TCP",
    })),
  };
}
