import type { Protocol } from "#/api/core/v1.ts";
import { type Cidr, cidrContains } from "#/std/net/cidr.ts";
import { parseNetIp } from "#/std/net/ip.ts";
import type { IpFamily } from "../base/ip-family.ts";
import { serverKey, type VirtualServer } from "./fragment.ts";

/** How virtual servers choose a real one. */
export interface Scheduling {
  readonly scheduler: string;
  /** A flag of the scheduler: for `mh`, the source port is part of the hash. */
  readonly flag: string;
}

/** A real server in the kernel. */
export interface InstalledRealServer {
  /** 0 if it gets no new connections, because it is about to be removed. */
  readonly weight: number;
  /** Number of its connections, active or not, when they were listed. */
  readonly connections: number;
}

/** A virtual server in the kernel. */
export interface InstalledServer extends Pick<VirtualServer, "protocol" | "address">, Scheduling {
  readonly persistenceSeconds: number;
  /** By `ip:port`. */
  readonly realServers: ReadonlyMap<string, InstalledRealServer>;
}

const serverLine = /^(TCP|UDP|SCTP) +(\S+) (\S+)(.*)$/;
const realServerLine = /^ +-> (\S+) +\S+ +(\d+) +(\d+) +(\d+)/;

/** Whether the address (`ip:port`) of a server is in one of the networks. */
export function isWithin(networks: readonly Cidr[], address: string): boolean {
  const ip = parseNetIp(address.slice(0, address.lastIndexOf(":")).replaceAll(/[[\]]/g, ""));
  return ip !== undefined && networks.some((cidr) => cidrContains(cidr, ip));
}

/** The virtual servers of one family in the output of `ipvsadm -L -n`, by serverKey. */
export function parseServers(text: string, family: IpFamily): Map<string, InstalledServer> {
  const found = new Map<string, InstalledServer>();
  let realServers = new Map<string, InstalledRealServer>();
  for (const line of text.split("\n")) {
    const [, real = "", weight, active, inactive] = realServerLine.exec(line) ?? [];
    if (real !== "") {
      const connections = Number(active) + Number(inactive);
      realServers.set(real, { weight: Number(weight), connections });
      continue;
    }
    // Also after a line of another kind of server, whose real ones are not ours.
    realServers = new Map();
    const [, protocol, address = "", scheduler = "", flags = ""] = serverLine.exec(line) ?? [];
    if (protocol === undefined) continue;
    if (address.startsWith("[") !== (family === "IPv6")) continue;
    const server = {
      protocol: protocol as Protocol,
      address,
      scheduler,
      flag: /\(([^)]*)\)/.exec(flags)?.[1] ?? "",
      persistenceSeconds: Number(/ persistent (\d+)/.exec(flags)?.[1] ?? 0),
      realServers,
    };
    found.set(serverKey(server), server);
  }
  return found;
}
