import { isIpv6 } from "./network-node.ts";

/** Our nftables table and our iptables chain. */
export const masqueradeTable = "k8ts-network";
export const masqueradeChain = "K8TS-NETWORK";

interface MasqueradeOptions {
  /** The networks of this node's pods. */
  readonly podCidrs: readonly string[];
  /** The networks of all pods; packets within them are not masqueraded. */
  readonly clusterCidrs: readonly string[];
}

/** Input of nft that masquerades packets of one family that leave the pod network. */
export function masqueradeCommands(ip: "ip" | "ip6", options: MasqueradeOptions): string {
  const table = `${ip} ${masqueradeTable}`;
  const { own, inside } = networksOf(ip, options);
  const match = `${ip} saddr { ${own.join(", ")} } ${ip} daddr != { ${inside.join(", ")} }`;
  return [
    `add table ${table}`,
    `delete table ${table}`,
    `add table ${table}`,
    `add chain ${table} postrouting { type nat hook postrouting priority 100; }`,
    `add rule ${table} postrouting ${match} masquerade fully-random`,
    "",
  ].join("\n");
}

/** Whether the table that nft lists has these rules. */
export function hasMasquerade(
  ip: "ip" | "ip6",
  options: MasqueradeOptions,
  listed: string,
): boolean {
  const { own, inside } = networksOf(ip, options);
  const rule = listed.split("\n").find((line) => line.includes("masquerade fully-random")) ?? "";
  return [...own, ...inside].every((cidr) => rule.includes(cidr));
}

/** The same for iptables-restore, if nft is missing. */
export function masqueradeRestore(ip: "ip" | "ip6", options: MasqueradeOptions): string {
  const { own: all, inside } = networksOf(ip, options);
  const lines = all.flatMap((own) => [
    ...inside.map((cidr) => `-A ${masqueradeChain} -s ${own} -d ${cidr} -j RETURN`),
    `-A ${masqueradeChain} -s ${own} -j MASQUERADE --random-fully`,
  ]);
  return ["*nat", `:${masqueradeChain} - [0:0]`, ...lines, "COMMIT", ""].join("\n");
}

function networksOf(ip: "ip" | "ip6", { podCidrs, clusterCidrs }: MasqueradeOptions) {
  const multicast = ip === "ip" ? "224.0.0.0/4" : "ff00::/8";
  return { own: ofFamily(ip, podCidrs), inside: [...ofFamily(ip, clusterCidrs), multicast] };
}

function ofFamily(ip: string, cidrs: readonly string[]): string[] {
  return cidrs.filter((cidr) => isIpv6(cidr) === (ip === "ip6"));
}
