/** The output of `nft -j list table`. */
export interface ListedTable {
  readonly nftables: readonly ListedObject[];
}

interface ListedObject {
  readonly chain?: ListedChain;
  readonly rule?: { readonly chain: string };
  readonly [kind: string]: unknown;
}

interface ListedChain {
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

/**
 * The commands that remove hook chains with policy accept and no rules, and their table if it is
 * empty: for packets this makes no difference. They fail if a rule was added meanwhile. "" if there
 * is nothing to remove.
 */
export function emptyTableRemoval(table: string, { nftables }: ListedTable): string {
  const inUse = new Set(nftables.map(({ rule }) => rule?.chain));
  const isEmpty = ({ name, hook, policy }: ListedChain): boolean =>
    hook !== undefined && policy === "accept" && !inUse.has(name);
  const left = nftables.filter(({ metainfo, table: self, chain }) => {
    return metainfo === undefined && self === undefined && !(chain && isEmpty(chain));
  });
  const lines = nftables.flatMap(({ chain }) =>
    chain && isEmpty(chain) ? [`delete chain ${table} ${chain.name}`] : [],
  );
  if (left.length === 0) lines.push(`delete table ${table}`);
  return lines.map((line) => `${line}\n`).join("");
}
