import type { Logger } from "#/std/log/log.ts";
import type { Cidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { ipFamilies } from "../base/ip-family.ts";
import { iptablesProgram, lockWait } from "../iptables/iptables-program.ts";
import { removeChains } from "../iptables/removal-input.ts";
import { SavedTables } from "../iptables/saved-tables.ts";
import { ipvsChainNames, ipvsJumps } from "./chains.ts";
import { parseAddresses } from "./installed-addresses.ts";
import { isWithin, parseServers } from "./installed-servers.ts";
import { dummyDevice, kernelSetName, setNames } from "./names.ts";
import { addressOf } from "./plan-servers.ts";

interface RemovalOptions {
  readonly run: RunProgram;
  readonly log: Logger;
  /** Virtual servers with such addresses belong to other programs. */
  readonly excluded: readonly Cidr[];
}

/**
 * Removes everything that mode ipvs has made, if there is anything; returns whether that succeeded.
 * Without the interface, virtual servers are not ours. Upstream: pkg/proxy/ipvs/cleanup.go, which
 * removes those of other programs, too, and leaves the sets of IPv6.
 */
export async function removeIpvs(options: RemovalOptions): Promise<boolean> {
  const { run, log } = options;
  const listed = await run("ip", ["-json", "address", "show"]).catch(() => "[]");
  const { hasDevice } = parseAddresses(listed, "IPv4");
  const sets = await ownSets(run);
  if (!hasDevice && sets.length === 0) return true;
  let clean = true;
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      log.error(error, `failed to remove ${what}`);
      clean = false;
    });
  };
  if (hasDevice) {
    await attempt("ipvs rules", () => removeServers(options));
    await attempt("dummy device", () => run("ip", ["link", "del", dummyDevice]));
  }
  for (const family of ipFamilies) {
    await attempt("iptables rules", () => removeTables(run, iptablesProgram(family)));
  }
  // A set can be destroyed only when no rule refers to it.
  const lines = sets.map((name) => `destroy ${name}\n`).join("");
  if (lines !== "") await attempt("ip sets", () => run("ipset", ["restore"], lines));
  return clean;
}

/** The names of our sets in the kernel. */
async function ownSets(run: RunProgram): Promise<string[]> {
  const ours = new Set(
    ipFamilies.flatMap((family) => setNames.map((name) => kernelSetName(name, family))),
  );
  const names = await run("ipset", ["list", "-n"]).catch(() => "");
  return names.split("\n").filter((name) => ours.has(name));
}

async function removeServers({ run, excluded }: RemovalOptions): Promise<void> {
  const text = await run("ipvsadm", ["-L", "-n"]);
  const lines = ipFamilies
    .flatMap((family) => [...parseServers(text, family).values()])
    .filter(({ address }) => !isWithin(excluded, address))
    .map((server) => `-D ${addressOf(server)}\n`);
  if (lines.length > 0) await run("ipvsadm", ["-R"], lines.join(""));
}

async function removeTables(run: RunProgram, program: string): Promise<void> {
  const saved = await run(`${program}-save`, []).catch(() => undefined);
  // A chain of this mode alone: mode iptables has others with names of ours.
  if (saved === undefined || !saved.includes(":KUBE-IPVS-FILTER ")) return;
  const isOurs = (table: "nat" | "filter", name: string) => ipvsChainNames(table).includes(name);
  const input = removeChains(new SavedTables(saved), isOurs, ipvsJumps);
  if (input !== "") await run(`${program}-restore`, [...lockWait, "--noflush"], input);
}
