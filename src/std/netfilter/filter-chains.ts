import { isDeepStrictEqual } from "node:util";
import { hasChain, rulesOf } from "./iptables-chains.ts";

/** A chain of ours in iptables' table `filter`, and the kernel's chain that jumps to it. */
export interface FilterChain {
  readonly name: string;
  readonly from: "FORWARD" | "INPUT";
  /** The comment that identifies the jump to it. */
  readonly comment: string;
  /** Prefix of other programs' chains that are before it. */
  readonly after: string;
  /** In the format of iptables-save, without `-A` and the chain's name. */
  readonly rules: readonly string[];
}

/**
 * Input of iptables-restore that updates the table `filter`, given the output of iptables-save; ""
 * if it is up to date. Our jumps are first, except for those to chains that reject and drop packets
 * that we would accept.
 */
export function planFilter(saved: string, chains: readonly FilterChain[]): string {
  const lines: string[] = [];
  for (const chain of chains) {
    const { name, from, rules } = chain;
    const isRight = hasChain(saved, name) && isDeepStrictEqual(rulesOf(saved, name), rules);
    if (!isRight) lines.push(`:${name} - [0:0]`, ...rules.map((rule) => `-A ${name} ${rule}`));
    lines.push(...planJump(rulesOf(saved, from), chain));
  }
  return lines.length === 0 ? "" : ["*filter", ...lines, "COMMIT", ""].join("\n");
}

function planJump(rules: readonly string[], { name, from, comment, after }: FilterChain): string[] {
  const isOurs = (rule: string): boolean => rule.endsWith(` -j ${name}`);
  const others = rules.filter((rule) => !isOurs(rule));
  const leastPosition = others.findLastIndex((rule) => rule.includes(`-j ${after}`)) + 1;
  const jumps = rules.filter(isOurs);
  if (jumps.length === 1 && rules.findIndex(isOurs) >= leastPosition) return [];
  return [
    ...jumps.map((rule) => `-D ${from} ${rule}`),
    `-I ${from} ${leastPosition + 1} -m comment --comment "${comment}" -j ${name}`,
  ];
}
