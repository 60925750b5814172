import { release } from "node:os";
import { parseDuration } from "#/std/go/duration.ts";
import { loadModule } from "#/std/kernel/kernel-changes.ts";
import type { Logger } from "#/std/log/log.ts";
import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import type { KubeProxyConfiguration } from "./config/kube-proxy-configuration.ts";
import { setKernelValue } from "./conntrack/conntrack-settings.ts";
import { checkIpvs } from "./ipvs/check-ipvs.ts";

interface PrepareOptions {
  readonly config: Pick<KubeProxyConfiguration, "ipvs">;
  readonly run: RunProgram;
  readonly log: Logger;
}

/** Checks that the kernel and the machine's programs support ipvs; throws if not. */
export async function requireIpvs({ config, run }: Omit<PrepareOptions, "log">): Promise<void> {
  await loadModule("ip_vs", run);
  try {
    await checkIpvs(run, schedulerOf(config));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`can't use the IPVS proxier: ${reason}`);
  }
}

export function schedulerOf({ ipvs }: Pick<KubeProxyConfiguration, "ipvs">): string {
  return ipvs.scheduler || "rr";
}

/** Sets what ipvs needs of the kernel. Upstream: pkg/proxy/ipvs/proxier.go. */
export async function applyIpvsSettings({ config, run, log }: PrepareOptions): Promise<void> {
  const { strictARP, tcpTimeout, tcpFinTimeout, udpTimeout } = config.ipvs;
  const values = {
    "net/ipv4/vs/conntrack": 1,
    ...connReuseMode(release()),
    "net/ipv4/vs/expire_nodest_conn": 1,
    "net/ipv4/vs/expire_quiescent_template": 1,
    "net/ipv4/ip_forward": 1,
    ...(strictARP
      ? { "net/ipv4/conf/all/arp_ignore": 1, "net/ipv4/conf/all/arp_announce": 2 }
      : {}),
  };
  for (const [path, value] of Object.entries(values)) await setKernelValue(path, value, log);
  const timeouts = [tcpTimeout, tcpFinTimeout, udpTimeout].map((text) =>
    Math.floor(parseDuration(text) / 1000),
  );
  if (!timeouts.some((seconds) => seconds > 0)) return;
  // 0 leaves a timeout unchanged.
  await run("ipvsadm", ["--set", ...timeouts.map(String)]).catch((error: unknown) => {
    if (!(error instanceof ProgramError)) throw error;
    log.error(error, "failed to configure IPVS timeouts");
  });
}

/** New connections from a port in use must get a new real server; kernels from 5.9 do that by themselves. */
function connReuseMode(kernel: string): Record<string, number> {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  const isFixed = major > 5 || (major === 5 && minor >= 9);
  const hasSetting = major > 4 || (major === 4 && minor >= 1);
  return isFixed || !hasSetting ? {} : { "net/ipv4/vs/conn_reuse_mode": 0 };
}
