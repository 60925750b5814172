/**
 * Rules for the tunnel's port: packets of nodes only, and none of Pods, whose packets to another node would get the
 * address of this one. The Pods' packets are checked after address translation, as a Service may lead to the port.
 */
interface TunnelOptions {
  readonly port: number;
  readonly bridge: string;
  /** The addresses (IPv4) of all nodes. */
  readonly nodes: readonly string[];
}

/** Our table for the tunnel. */
export const tunnelTable = "ip k8ts-tunnel";

/** Input of nft that writes the table. */
export function tunnelCommands({ port, bridge, nodes }: TunnelOptions): string {
  const add = (what: string) => `add ${what}`;
  const toTunnel = `udp dport ${port}`;
  const rule = (chain: string, match: string) =>
    add(`rule ${tunnelTable} ${chain} ${toTunnel} ${match} counter drop`);
  return [
    add(`table ${tunnelTable}`),
    `delete table ${tunnelTable}`,
    add(`table ${tunnelTable}`),
    add(`set ${tunnelTable} nodes { type ipv4_addr; elements = { ${nodes.join(", ")} }; }`),
    ...["input", "forward"].map((hook) =>
      add(`chain ${tunnelTable} ${hook} { type filter hook ${hook} priority -10; }`),
    ),
    rule("input", `iifname "${bridge}"`),
    rule("input", "ip saddr != @nodes"),
    rule("forward", `iifname "${bridge}" ip daddr @nodes`),
    rule("forward", "ct status dnat ip daddr @nodes"),
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
    listed.includes(`iifname "${bridge}" ip daddr @nodes`) &&
    listedNodes.size === new Set(nodes).size &&
    nodes.every((node) => listedNodes.has(node))
  );
}
