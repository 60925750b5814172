/** The output of `nft -j list chains`: the fields that are needed. */
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

/** The state of a node's firewall. */
export interface FirewallFacts {
  readonly chains: ListedChains;
  /** The output of `iptables -S INPUT`; nft doesn't list the chains of iptables-legacy. */
  readonly input: string;
}

/** The tables in which the pod network accepts its own packets. */
const handled = /^ip6? filter$/;

/**
 * The chains that drop unknown packets, by their hook. A packet must pass all of
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

/** Hints for a user with a closed firewall; empty if it is open. */
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
