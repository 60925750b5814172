import type { Node } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { dnsAddresses } from "./node-address.ts";

const families = ["IPv4", "IPv6"] as const;

/** Limit of endpoints in a slice: the API's. */
const maxEndpoints = 1000;

/**
 * The EndpointSlices of the Service kube-dns: every node, each for its own pods while it is ready.
 */
export function planSlices(nodes: readonly Node[], port: number): EndpointSlice[] {
  const sorted = nodes.toSorted((a, b) => compare(a.metadata.name, b.metadata.name));
  return families.flatMap((addressType) => {
    const endpoints = sorted.flatMap((node) => endpointsOf(node, addressType));
    const chunks = Array.from({ length: Math.ceil(endpoints.length / maxEndpoints) }, (_, index) =>
      endpoints.slice(index * maxEndpoints, (index + 1) * maxEndpoints),
    );
    return chunks.map((chunk, index) => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: `kube-dns-${addressType.toLowerCase()}-${index}`,
        namespace: "kube-system",
        labels: {
          "kubernetes.io/service-name": "kube-dns",
          "endpointslice.kubernetes.io/managed-by": managedBy,
        },
      },
      addressType,
      endpoints: chunk,
      ports: [
        { name: "dns", port, protocol: "UDP" as const },
        { name: "dns-tcp", port, protocol: "TCP" as const },
      ],
    }));
  });
}

/** The writer of these slices. */
export const managedBy = "cluster-dns.k8ts";

function endpointsOf(node: Node, family: (typeof families)[number]) {
  const name = node.metadata.name ?? "";
  const own = dnsAddresses(node).filter((ip) => ip.includes(":") === (family === "IPv6"));
  const ready = (node.status?.conditions ?? []).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
  return own.map((address) => ({
    addresses: [address],
    conditions: { ready, serving: ready, terminating: false },
    nodeName: name,
    hints: { forNodes: [{ name }] },
  }));
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
