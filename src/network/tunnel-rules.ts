import { isIpv6 } from "./network-node.ts";

/**
 * Rules for the tunnel's port: packets of nodes only, and none of Pods, whose packets to another node would get the
 * address of this one. The Pods' packets are checked after address translation, as a Service may lead to the port.
 */
interface TunnelOptions {
  readonly port: number;
  readonly bridge: string;
  /** The addresses of all nodes, of the family of the tunnel's packets. */
  readonly nodes: readonly string[];
}

/** Our tables for the tunnel, of which a node has one. */
export const tunnelTables = ["ip k8ts-tunnel", "ip6 k8ts-tunnel"] as const;

/** The table of a tunnel between these nodes. */
export const tunnelTableOf = (nodes: readonly string[]): string => tunnelTables[familyOf(nodes)];

const familyOf = (nodes: readonly string[]): 0 | 1 => (nodes.some(isIpv6) ? 1 : 0);

/** Input of nft that writes the table. */
export function tunnelCommands({ port, bridge, nodes }: TunnelOptions): string {
  const tunnelTable = tunnelTableOf(nodes);
  const [ip, type] = (
    [
      ["ip", "ipv4_addr"],
      ["ip6", "ipv6_addr"],
    ] as const
  )[familyOf(nodes)];
  const add = (what: string) => `add ${what}`;
  const toTunnel = `udp dport ${port}`;
  const rule = (chain: string, match: string) =>
    add(`rule ${tunnelTable} ${chain} ${toTunnel} ${match} counter drop`);
  return [
    add(`table ${tunnelTable}`),
    `delete table ${tunnelTable}`,
    add(`table ${tunnelTable}`),
    add(`set ${tunnelTable} nodes { type ${type}; elements = { ${nodes.join(", ")} }; }`),
    ...["input", "forward"].map((hook) =>
      add(`chain ${tunnelTable} ${hook} { type filter hook ${hook} priority -10; }`),
    ),
    rule("input", `iifname "${bridge}"`),
    rule("input", `${ip} saddr != @nodes`),
    rule("forward", `iifname "${bridge}" ${ip} daddr @nodes`),
    rule("forward", `ct status dnat ${ip} daddr @nodes`),
    "",
  ].join("\n");
}

/** Whether the table that nft lists has these rules. */
export function hasTunnelRules({ port, bridge, nodes }: TunnelOptions, listed: string): boolean {
  const rules = listed.split("\n").filter((line) => line.includes(`udp dport ${port} `));
  const elements = /elements = \{([^}]*)\}/.exec(listed)?.[1]?.split(",") ?? [];
  const listedNodes = new Set(elements.map((text) => text.trim()));
  return (
    rules.length === 4 &&
    new RegExp(`iifname "${bridge}" ip6? daddr @nodes`).test(listed) &&
    listedNodes.size === new Set(nodes).size &&
    nodes.every((node) => listedNodes.has(node))
  );
}
