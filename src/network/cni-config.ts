import { isIpv6 } from "./network-node.ts";

interface CniOptions {
  /** Folder of the allocated addresses; "" is the plugin's default. */
  readonly dataDir?: string;
  readonly bridge: string;
  readonly podCidrs: readonly string[];
  /** MTU of the pods' links; 0 is the plugin's default. */
  readonly mtu: number;
}

/** The file name sorts before others, so that runtimes use it. */
export const cniFileName = "10-k8ts.conflist";

/** The CNI configuration of a node: a bridge, addresses from the node's networks, host ports, bandwidth. */
export function cniConfig({ dataDir = "", bridge, podCidrs, mtu }: CniOptions): string {
  const routes = podCidrs.map((cidr) => ({ dst: isIpv6(cidr) ? "::/0" : "0.0.0.0/0" }));
  const config = {
    cniVersion: "1.0.0",
    name: "k8ts",
    // CRI-O would check each new Pod; the bandwidth plugin of Debian 12 crashes there if the Pod has no limit.
    disableCheck: true,
    plugins: [
      {
        type: "bridge",
        bridge,
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ...(mtu > 0 ? { mtu } : {}),
        ipam: {
          type: "host-local",
          ...(dataDir === "" ? {} : { dataDir }),
          ranges: podCidrs.map((subnet) => [{ subnet }]),
          routes,
        },
      },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
      // The limits of the annotations kubernetes.io/ingress-bandwidth and egress-bandwidth, from the runtime.
      { type: "bandwidth", capabilities: { bandwidth: true } },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
