import { isIpv6 } from "./network-node.ts";

export interface CniOptions {
  /** Where it is kept which addresses are taken; "" leaves it to the plugin. */
  readonly dataDir?: string;
  readonly bridge: string;
  readonly podCidrs: readonly string[];
  /** Of the pods' links; 0 leaves it to the plugin. */
  readonly mtu: number;
}

/** The name of the file, early among others so that runtimes take it. */
export const cniFileName = "10-k8ts.conflist";

/** The CNI configuration of a node: a bridge, addresses from the node's networks, host ports. */
export function cniConfig({ dataDir = "", bridge, podCidrs, mtu }: CniOptions): string {
  const routes = podCidrs.map((cidr) => ({ dst: isIpv6(cidr) ? "::/0" : "0.0.0.0/0" }));
  const config = {
    cniVersion: "1.0.0",
    name: "k8ts",
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
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
