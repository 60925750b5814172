/** What `nft -j list chains` says, as far as it matters here. */
export interface ListedChains {
  readonly nftables: readonly { readonly chain?: ListedChain }[];
}

interface ListedChain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/** What a node's firewall lets in, as far as it can be seen from outside its rules. */
export interface FirewallFacts {
  readonly chains: ListedChains;
  /** What `iptables -S INPUT` says; iptables-legacy is not among nft's chains. */
  readonly input: string;
}

/** The tables in which the pod network accepts its own packets. */
const handled = /^ip6? filter$/;

/**
 * The chains that are closed to what they don't know, by their hook. A packet must pass all of
 * them; the pod network can open those of iptables and firewalld for Pods, but no others.
 */
function closedChains({ chains, input }: FirewallFacts): Record<"input" | "forward", string[]> {
  const closed = { input: [] as string[], forward: [] as string[] };
  for (const { chain } of chains.nftables) {
    if (!chain) continue;
    const table = `${chain.family} ${chain.table}`;
    const isFirewalld = table === "inet firewalld" && chain.name === "filter_INPUT";
    if (chain.hook === "input" && (chain.policy === "drop" || isFirewalld)) {
      closed.input.push(`${table} ${chain.name}`);
    }
    const isOthers = chain.policy === "drop" && !handled.test(table);
    if (chain.hook === "forward" && isOthers) closed.forward.push(`${table} ${chain.name}`);
  }
  const isKnown = closed.input.includes("ip filter INPUT");
  if (/^-P INPUT DROP$/m.test(input) && !isKnown) closed.input.push("ip filter INPUT");
  return closed;
}

/** What a user has to know of a firewall that is closed; empty if it is open. */
export function firewallHints(facts: FirewallFacts, ports: readonly string[]): string[] {
  const { input, forward } = closedChains(facts);
  const others = input.filter((chain) => !handled.test(chain.replace(/ \S+$/, "")));
  const foreign = [...others.filter((chain) => !chain.startsWith("inet firewalld ")), ...forward];
  return [
    ...(input.length > 0
      ? [
          `  firewall   INPUT is closed (${input.join(", ")}): open ${ports.join(", ")} for other nodes`,
        ]
      : []),
    ...foreign.map((chain) => dropsPods(chain, "cni0")),
  ];
}

/** The same for a cluster in a network namespace: the machine forwards its packets, nothing else. */
export function namespaceHints(facts: FirewallFacts, link: string): string[] {
  const { forward } = closedChains(facts);
  return forward.map((chain) => dropsPods(chain, link));
}

const dropsPods = (chain: string, link: string): string =>
  `  firewall   ${chain} drops packets of Pods: nft insert rule ${chain} iifname ${link} accept`;
