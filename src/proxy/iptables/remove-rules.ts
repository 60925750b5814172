import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { ipFamilies } from "../base/ip-family.ts";
import { iptablesProgram, lockWait } from "./iptables-program.ts";
import { removeCounters } from "./packet-counters.ts";
import { removalInput } from "./removal-input.ts";
import { SavedTables } from "./saved-tables.ts";

/** A chain of upstream's kubelet, which also owns KUBE-FIREWALL. */
const kubeletCanary = "KUBE-KUBELET-CANARY";

/** A chain of this mode alone: mode ipvs has others with names of ours. */
const ownChain = "KUBE-EXTERNAL-SERVICES";

/**
 * Removes our rules and chains; returns whether that succeeded. With `keepsIpvs`, only where this mode
 * has written them. Upstream: pkg/proxy/iptables/cleanup.go.
 */
export async function removeRules(
  run: RunProgram,
  log: Logger,
  { keepsIpvs = false }: { readonly keepsIpvs?: boolean } = {},
): Promise<boolean> {
  let clean = true;
  for (const family of ipFamilies) {
    const program = iptablesProgram(family);
    const saved = await run(`${program}-save`, []).catch(() => undefined);
    if (saved === undefined || (keepsIpvs && !saved.includes(`:${ownChain} `))) continue;
    const input = removalInput(new SavedTables(saved), saved.includes(`:${kubeletCanary} `));
    try {
      if (input !== "") {
        await run(`${program}-restore`, [...lockWait, "--noflush"], input);
        await removeCounters(run);
      }
    } catch (error) {
      log.error(error, "failed to remove iptables rules");
      clean = false;
    }
    // The chain may not exist.
    const canary = [...lockWait, "-t", "mangle", "-X", "KUBE-PROXY-CANARY"];
    if (saved.includes(":KUBE-PROXY-CANARY")) await run(program, canary).catch(() => undefined);
  }
  return clean;
}
