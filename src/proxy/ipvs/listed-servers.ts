import type { Protocol } from "#/api/core/v1.ts";
import { canonicalAddress, hostPort, type IpFamily } from "../base/ip-family.ts";
import { serverKey } from "./fragment.ts";
import type { InstalledRealServer, InstalledServer } from "./installed-servers.ts";

/** The kernel's own list of virtual servers: reading it takes a hundredth of ipvsadm's time. */
export const serverList = "/proc/net/ip_vs";

const serverLine = /^(TCP|UDP|SCTP) +(\S+) (\S+) +(.*)$/;
const realServerLine = /^ +-> (\S+) +\S+ +(\d+) +(\d+) +(\d+)/;
const addressText = /^(?:\[([^\]]+)\]|([\dA-F]{8})):([\dA-F]{4})$/;

/**
 * The virtual servers of one family in that list, by serverKey. It has session affinity in ticks of
 * the kernel, and no flags of schedulers: both are taken from what is known.
 */
export function parseServerList(
  text: string,
  family: IpFamily,
  known: ReadonlyMap<string, InstalledServer>,
): Map<string, InstalledServer> {
  const found = new Map<string, InstalledServer>();
  let realServers = new Map<string, InstalledRealServer>();
  for (const line of text.split("\n")) {
    const [, real = "", weight, active, inactive] = realServerLine.exec(line) ?? [];
    if (real !== "") {
      const connections = Number(active) + Number(inactive);
      realServers.set(addressOf(real), { weight: Number(weight), connections });
      continue;
    }
    // Also after a line of another kind of server, whose real ones are not ours.
    realServers = new Map();
    const [, protocol, where = "", scheduler = "", flags = ""] = serverLine.exec(line) ?? [];
    if (protocol === undefined) continue;
    if (where.startsWith("[") !== (family === "IPv6")) continue;
    const named = { protocol: protocol as Protocol, address: addressOf(where) };
    const before = known.get(serverKey(named));
    const persistenceSeconds = flags.includes("persistent") ? affinityOf(before) : 0;
    const flag = before?.flag ?? "";
    found.set(serverKey(named), { ...named, scheduler, flag, persistenceSeconds, realServers });
  }
  return found;
}

/** A number that no Service has, for a server that had no affinity. */
const unknownAffinity = -1;

function affinityOf(known: InstalledServer | undefined): number {
  return known?.persistenceSeconds || unknownAffinity;
}

/** `ip:port` of an address in hexadecimal digits. */
function addressOf(text: string): string {
  const [, ipv6, ipv4 = "", port = ""] = addressText.exec(text) ?? [];
  const ip = ipv6 === undefined ? dotted(ipv4) : (canonicalAddress(ipv6) ?? ipv6);
  return hostPort(ip, Number.parseInt(port, 16));
}

function dotted(digits: string): string {
  return (digits.match(/../g) ?? []).map((each) => Number.parseInt(each, 16)).join(".");
}
