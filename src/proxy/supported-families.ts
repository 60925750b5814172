import { readFile } from "node:fs/promises";
import type { Logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { type IpFamily, ipFamilies, otherFamily } from "./base/ip-family.ts";
import type { ProxyMode } from "./base/metrics.ts";
import { iptablesProgram } from "./iptables/iptables-program.ts";

interface FamilyOptions {
  readonly mode: ProxyMode;
  readonly primary: IpFamily;
  readonly run: RunProgram;
  readonly log: Logger;
}

/**
 * The families for which rules can be written; throws if the primary one isn't among them.
 * Upstream: cmd/kube-proxy/app/server_linux.go, which checks less in nftables mode.
 */
export async function supportedFamilies(options: FamilyOptions): Promise<IpFamily[]> {
  const { mode, primary, log } = options;
  const supported: IpFamily[] = [];
  for (const family of ipFamilies) {
    const reason = await whyUnsupported(family, options);
    if (reason === undefined) supported.push(family);
    else
      log.info(`no ${mode === "ipvs" ? "iptables" : mode} support for family`, {
        ipFamily: family,
        reason,
      });
  }
  if (supported.includes(primary)) return supported;
  if (supported.includes(otherFamily(primary)) || mode === "nftables") {
    throw new Error(`no support for primary IP family "${primary}"`);
  }
  throw new Error("iptables is not available on this host");
}

async function whyUnsupported(
  family: IpFamily,
  { mode, run }: FamilyOptions,
): Promise<string | undefined> {
  if (family === "IPv6" && !(await hasIpv6())) return "the kernel has it disabled";
  try {
    if (mode === "nftables") await run("nft", ["--check", "-f", "-"], nftablesProbe(family));
    else await run(iptablesProgram(family), ["-w", "5", "-S", "POSTROUTING", "-t", "nat"]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split("\n")[0] : String(error);
  }
}

/** A table with all kernel features that our rules need; modules may be missing for a family. */
function nftablesProbe(family: IpFamily): string {
  const ip = family === "IPv4" ? "ip" : "ip6";
  return `table ${ip} kube-proxy-probe {
  chain filter { type filter hook input priority 0; ct state new reject; }
  chain nat { type nat hook postrouting priority 100;
    fib daddr type local masquerade fully-random
    numgen random mod 2 vmap { 0 : accept, 1 : drop }
  }
}
`;
}

async function hasIpv6(): Promise<boolean> {
  const read = (path: string): Promise<string | undefined> =>
    readFile(path, "utf8").catch(() => undefined);
  if ((await read("/proc/net/if_inet6")) === undefined) return false;
  return (await read("/proc/sys/net/ipv6/conf/all/disable_ipv6"))?.trim() !== "1";
}
