import type { EndpointPort, Endpoints } from "#/api/core/v1.ts";
import type { EndpointSlice } from "#/api/discovery/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { kubernetesServiceName } from "./kubernetes-service.ts";

/**
 * The addresses of all API servers, as endpoints of the `kubernetes` Service.
 *
 * Upstream: pkg/controlplane/reconcilers/{lease,endpointsadapter}.go.
 */
const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
const serviceNameLabel = "kubernetes.io/service-name";

/** The API servers' addresses and port. */
interface ApiServerAddresses {
  /** Addresses of all live servers. */
  readonly ips: readonly string[];
  readonly port: number;
}

/** The desired Endpoints, or undefined if the existing ones are right. */
export function planEndpoints(
  { ips, port }: ApiServerAddresses,
  current: Endpoints | undefined,
): Endpoints | undefined {
  const metadata = current?.metadata ?? { name: kubernetesServiceName, namespace: "default" };
  const addresses = [...ips].sort().map((ip) => ({ ip }));
  const ports: EndpointPort[] = [{ name: "https", port, protocol: "TCP" }];
  const desired: Endpoints = {
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: { ...metadata, labels: { ...metadata.labels, [skipMirrorLabel]: "true" } },
    subsets: [{ addresses, ports }],
  };
  return isSame(desired, current) ? undefined : desired;
}

/** The desired EndpointSlice, or undefined if the existing one is right. */
export function planEndpointSlice(
  { ips, port }: ApiServerAddresses,
  current: EndpointSlice | undefined,
): EndpointSlice | undefined {
  const metadata = current?.metadata ?? { name: kubernetesServiceName, namespace: "default" };
  const sorted = [...ips].sort();
  const desired: EndpointSlice = {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [serviceNameLabel]: kubernetesServiceName },
    },
    addressType: sorted[0]?.includes(":") ? "IPv6" : "IPv4",
    endpoints: sorted.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: "https", protocol: "TCP", port }],
  };
  return isSame(desired, current) ? undefined : desired;
}

function isSame<T extends { metadata: { labels?: Record<string, string> } }>(
  desired: T,
  current: T | undefined,
): boolean {
  if (!current) return false;
  const { metadata, ...content } = desired;
  const { metadata: currentMetadata, ...currentContent } = current;
  return deepEqual(content, currentContent) && deepEqual(metadata.labels, currentMetadata.labels);
}
