import { type JumpRule, jumpRules, kubeletJumpRules } from "./base-fragment.ts";
import type { TableName } from "./fragment.ts";
import { isServiceChain } from "./names.ts";
import { jumpSpec } from "./restore-input.ts";
import type { SavedTables } from "./saved-tables.ts";

const sharedChains = {
  filter: [
    "KUBE-SERVICES",
    "KUBE-EXTERNAL-SERVICES",
    "KUBE-FORWARD",
    "KUBE-NODEPORTS",
    "KUBE-PROXY-FIREWALL",
    "KUBE-PROXY-CANARY",
  ],
  nat: [
    "KUBE-SERVICES",
    "KUBE-NODEPORTS",
    "KUBE-POSTROUTING",
    "KUBE-MARK-MASQ",
    "KUBE-PROXY-CANARY",
  ],
} as const;

const firewallChain = "KUBE-FIREWALL";

/** Input of iptables-restore that removes only our rules and chains. */
export function removalInput(saved: SavedTables, keepsFirewall: boolean): string {
  const isOurs = (table: TableName, name: string): boolean => {
    const shared: readonly string[] = sharedChains[table];
    return (
      shared.includes(name) || isServiceChain(name) || (name === firewallChain && !keepsFirewall)
    );
  };
  return removeChains(
    saved,
    isOurs,
    keepsFirewall ? jumpRules : [...jumpRules, ...kubeletJumpRules],
  );
}

/** Input of iptables-restore that removes chains, and the jumps to them that exist. */
export function removeChains(
  saved: SavedTables,
  isOurs: (table: TableName, name: string) => boolean,
  allJumps: readonly JumpRule[],
): string {
  let text = "";
  for (const table of ["filter", "nat"] as const) {
    const ours = [...saved.chains(table)].filter((name) => isOurs(table, name));
    if (ours.length === 0) continue;
    const jumps = allJumps.filter((jump) => jump.table === table && saved.hasJump(jump));
    const lines = [
      ...ours.map((name) => `:${name} - [0:0]`),
      ...jumps.map((jump) => `-D ${jump.from} ${jumpSpec(jump)}`),
      ...ours.map((name) => `-X ${name}`),
    ];
    text += `*${table}\n${lines.join("\n")}\nCOMMIT\n`;
  }
  return text;
}
