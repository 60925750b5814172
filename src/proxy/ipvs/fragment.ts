import type { Protocol } from "#/api/core/v1.ts";
import type { SetName } from "./names.ts";

/** An address and port at which the kernel accepts connections for real servers. */
export interface VirtualServer {
  readonly protocol: Protocol;
  /** `ip:port`. */
  readonly address: string;
  /** Session affinity (seconds): how long a client's connections go to one real server; 0 without. */
  readonly persistenceSeconds: number;
  /** `ip:port` of each. */
  readonly realServers: readonly string[];
}

/** What identifies a virtual server in the kernel. */
export function serverKey({ protocol, address }: Pick<VirtualServer, "protocol" | "address">) {
  return `${protocol} ${address}`;
}

export interface SetEntry {
  readonly set: SetName;
  readonly entry: string;
}

/** The state of the kernel for one service. */
export interface IpvsFragment {
  readonly servers: readonly VirtualServer[];
  /** Those of KUBE-IPVS-IPS are also the addresses of the dummy interface. */
  readonly entries: readonly SetEntry[];
  /** Rules of KUBE-IPVS-OUT-FILTER. */
  readonly outFilter: readonly string[];
}
