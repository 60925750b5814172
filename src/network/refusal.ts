import { isIpv6 } from "./network-node.ts";

/** Our table for both families. */
export const refusalTable = "inet k8ts-balancers";

/**
 * Input of nft that refuses packets to load balancers that the proxy has not rewritten: no Service has the address and
 * port. Clients know at once, and nothing leaves the node. The hooks are after those of the proxy.
 */
export function refusalCommands(cidrs: readonly string[]): string {
  const rules = (chain: string) =>
    cidrs.flatMap((cidr) => {
      const match = `${isIpv6(cidr) ? "ip6" : "ip"} daddr ${cidr}`;
      const rule = `add rule ${refusalTable} ${chain} ${match}`;
      return [`${rule} meta l4proto tcp reject with tcp reset`, `${rule} reject`];
    });
  const chains = ["forward", "output"].flatMap((hook) => [
    `add chain ${refusalTable} ${hook} { type filter hook ${hook} priority 0; }`,
    ...rules(hook),
  ]);
  const table = [`add table ${refusalTable}`, `delete table ${refusalTable}`];
  const made = cidrs.length === 0 ? [] : [`add table ${refusalTable}`, ...chains];
  return [...table, ...made, ""].join("\n");
}

/** Whether the table that nft lists has these rules, and no others. */
export function hasRefusal(cidrs: readonly string[], listed: string): boolean {
  const found = new Set([...listed.matchAll(/ daddr (\S+)/g)].map(([, cidr]) => cidr));
  return found.size === cidrs.length && cidrs.every((cidr) => found.has(cidr));
}
