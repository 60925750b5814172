import type { Node, Taint } from "#/api/core/v1.ts";

/** The addresses that a cloud controller manager must prefer. */
export const providedIpAnnotation = "alpha.kubernetes.io/provided-node-ip";

interface InitialNodeOptions {
  readonly name: string;
  readonly hostname: string;
  readonly architecture: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly providerID: string;
  readonly externalCloudProvider: boolean;
  /** The addresses of --node-ip, without unspecified ones. */
  readonly givenIps: readonly string[];
  readonly enableControllerAttachDetach: boolean;
}

/**
 * The node as it is registered, without its status.
 *
 * Upstream: pkg/kubelet/kubelet_node_status.go.
 */
export function initialNode(options: InitialNodeOptions): Node {
  const { name, hostname, architecture, providerID } = options;
  const uninitialized: Taint = {
    key: "node.cloudprovider.kubernetes.io/uninitialized",
    value: "true",
    effect: "NoSchedule",
  };
  const annotations = {
    ...(options.enableControllerAttachDetach && {
      "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }),
    // The cloud controller manager gives the node these of its addresses.
    ...(options.externalCloudProvider &&
      options.givenIps.length > 0 && { [providedIpAnnotation]: options.givenIps.join(",") }),
  };
  const taints = [...options.taints, ...(options.externalCloudProvider ? [uninitialized] : [])];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": hostname,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": architecture,
        ...options.labels,
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      ...(providerID !== "" && { providerID }),
      ...(taints.length > 0 && { taints }),
    },
  };
}
