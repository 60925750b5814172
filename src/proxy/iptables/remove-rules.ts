import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { ipFamilies } from "../base/ip-family.ts";
import { iptablesProgram } from "./backend.ts";
import { jumpRules, kubeletJumpRules } from "./base-fragment.ts";
import { isServiceChain } from "./names.ts";
import { jumpSpec } from "./restore-input.ts";
import { SavedTables } from "./saved-tables.ts";

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

/** A chain of upstream's kubelet, which also owns KUBE-FIREWALL. */
const kubeletCanary = "KUBE-KUBELET-CANARY";
const firewallChain = "KUBE-FIREWALL";

/**
 * Removes our rules and chains; returns whether that succeeded. Upstream: pkg/proxy/iptables/cleanup.go.
 */
export async function removeRules(run: RunProgram, log: Logger): Promise<boolean> {
  let clean = true;
  for (const family of ipFamilies) {
    const program = iptablesProgram(family);
    const saved = await run(`${program}-save`, []).catch(() => undefined);
    if (saved === undefined) continue;
    const input = removalInput(new SavedTables(saved), saved.includes(`:${kubeletCanary} `));
    try {
      if (input !== "") await run(`${program}-restore`, ["-w", "5", "--noflush"], input);
    } catch (error) {
      log.error(error, "failed to remove iptables rules");
      clean = false;
    }
    // The chain may not exist.
    const canary = ["-w", "5", "-t", "mangle", "-X", "KUBE-PROXY-CANARY"];
    if (saved.includes(":KUBE-PROXY-CANARY")) await run(program, canary).catch(() => undefined);
  }
  return clean;
}

/** Input of iptables-restore that removes only our rules and chains. */
export function removalInput(saved: SavedTables, keepsFirewall: boolean): string {
  let text = "";
  const allJumps = keepsFirewall ? jumpRules : [...jumpRules, ...kubeletJumpRules];
  for (const table of ["filter", "nat"] as const) {
    const shared: readonly string[] = sharedChains[table];
    const ours = [...saved.chains(table)].filter(
      (name) =>
        shared.includes(name) || isServiceChain(name) || (name === firewallChain && !keepsFirewall),
    );
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
