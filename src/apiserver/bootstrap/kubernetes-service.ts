import type { Service, ServicePort } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { addressAt, type Cidr } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";

/**
 * The Service for access to the API server from pods.
 *
 * Upstream: pkg/controlplane/controller/kubernetesservice/controller.go.
 */
export const kubernetesServiceName = "kubernetes";

/** Settings of the Service. */
interface KubernetesServiceOptions {
  /** The first network of --service-cluster-ip-range; the Service has its first address. */
  readonly network: Cidr;
  /** The port the API server listens on. */
  readonly securePort: number;
  /** --kubernetes-service-node-port; 0 for none. */
  readonly nodePort: number;
}

/** The port of the Service. */
const servicePort = 443;

/** The desired Service, or undefined if the existing one is right. */
export function planKubernetesService(
  options: KubernetesServiceOptions,
  current: Service | undefined,
): Service | undefined {
  const { network, securePort, nodePort } = options;
  const port: ServicePort = {
    name: "https",
    protocol: "TCP",
    port: servicePort,
    targetPort: securePort,
    ...(nodePort > 0 ? { nodePort } : {}),
  };
  const type = nodePort > 0 ? "NodePort" : "ClusterIP";
  if (!current) {
    return {
      kind: "Service",
      apiVersion: "v1",
      metadata: {
        name: kubernetesServiceName,
        namespace: "default",
        labels: { component: "apiserver", provider: "kubernetes" },
      },
      spec: {
        ports: [port],
        clusterIP: formatIp(addressAt(network, 1)),
        ipFamilyPolicy: "SingleStack",
        sessionAffinity: "None",
        type,
      },
    };
  }
  if (current.spec.type === type && deepEqual(current.spec.ports, [port])) return undefined;
  return { ...current, spec: { ...current.spec, ports: [port], type } };
}
