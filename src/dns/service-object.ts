import type { Service } from "#/api/core/v1.ts";

/** The Service by which pods reach the DNS server of their own node; without an address, the API server gives it one. */
export function serviceObject(clusterIP: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kube-dns",
      namespace: "kube-system",
      labels: {
        "k8s-app": "kube-dns",
        // kubectl cluster-info lists Services with this label.
        "kubernetes.io/cluster-service": "true",
        "kubernetes.io/name": "CoreDNS",
      },
    },
    spec: {
      ...(clusterIP === "" ? {} : { clusterIP, clusterIPs: [clusterIP] }),
      trafficDistribution: "PreferSameNode",
      ports: [
        { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
        { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
      ],
    },
  };
}
