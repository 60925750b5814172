import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { ipFamilies } from "../base/ip-family.ts";
import { iptablesProgram } from "./backend.ts";
import { removalInput } from "./removal-input.ts";
import { SavedTables } from "./saved-tables.ts";

/** A chain of upstream's kubelet, which also owns KUBE-FIREWALL. */
const kubeletCanary = "KUBE-KUBELET-CANARY";

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
