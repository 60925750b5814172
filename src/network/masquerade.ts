import { isIpv6 } from "./network-node.ts";

/** Our nftables table, and our chain of iptables. */
export const masqueradeTable = "k8ts-network";
export const masqueradeChain = "K8TS-NETWORK";

export interface MasqueradeOptions {
  /** The networks of this node's pods. */
  readonly podCidrs: readonly string[];
  /** The networks of all pods, within which addresses stay as they are. */
  readonly clusterCidrs: readonly string[];
}

/** What nft reads to give packets that leave the pod network the node's own address. */
export function masqueradeCommands(options: MasqueradeOptions): string {
  return ["ip", "ip6"]
    .map((ip) => {
      const table = `${ip} ${masqueradeTable}`;
      return [
        `add table ${table}`,
        `delete table ${table}`,
        ...tableLines(ip, options).map((line) => `add ${line}`),
      ].join("\n");
    })
    .join("\n")
    .concat("\n");
}

function tableLines(ip: string, { podCidrs, clusterCidrs }: MasqueradeOptions): string[] {
  const own = ofFamily(ip, podCidrs);
  if (own.length === 0) return [];
  const inside = [...ofFamily(ip, clusterCidrs), ip === "ip" ? "224.0.0.0/4" : "ff00::/8"];
  const table = `${ip} ${masqueradeTable}`;
  const match = `${ip} saddr { ${own.join(", ")} } ${ip} daddr != { ${inside.join(", ")} }`;
  return [
    `table ${table}`,
    `chain ${table} postrouting { type nat hook postrouting priority 100; }`,
    `rule ${table} postrouting ${match} masquerade fully-random`,
  ];
}

/** The same for iptables-restore, for one family; where there is no nft. */
export function masqueradeRestore(ip: "ip" | "ip6", options: MasqueradeOptions): string {
  const inside = [...ofFamily(ip, options.clusterCidrs), ip === "ip" ? "224.0.0.0/4" : "ff00::/8"];
  const lines = ofFamily(ip, options.podCidrs).flatMap((own) => [
    ...inside.map((cidr) => `-A ${masqueradeChain} -s ${own} -d ${cidr} -j RETURN`),
    `-A ${masqueradeChain} -s ${own} -j MASQUERADE --random-fully`,
  ]);
  return ["*nat", `:${masqueradeChain} - [0:0]`, ...lines, "COMMIT", ""].join("\n");
}

function ofFamily(ip: string, cidrs: readonly string[]): string[] {
  return cidrs.filter((cidr) => isIpv6(cidr) === (ip === "ip6"));
}
