import { type Cidr, cidrContains, formatCidr, network } from "#/std/net/cidr.ts";

/**
 * The networks that nodes have for their Pods. A kubelet may create its own Node, and so choose its networks: one
 * outside of the cluster's, or one that another node has, would lead away packets that are not for its Pods.
 */
export class ClaimedNetworks {
  /** Networks of all Pods; if there are none, any network may be claimed. */
  readonly #cluster: readonly Cidr[];
  readonly #claimed = new Set<string>();
  /** All networks that contain a claimed one. */
  readonly #around = new Set<string>();

  constructor(cluster: readonly Cidr[]) {
    this.#cluster = cluster;
  }

  /** Whether the network is free for a node; it is not free any more afterwards. */
  claim(cidr: Cidr): boolean {
    const key = formatCidr(network(cidr));
    const around = this.#networksAround(cidr);
    if (around === undefined) return false;
    if (this.#claimed.has(key) || this.#around.has(key)) return false;
    if (around.some((wider) => this.#claimed.has(wider))) return false;
    this.#claimed.add(key);
    for (const wider of around) this.#around.add(wider);
    return true;
  }

  /** The wider networks up to the cluster's; undefined if it is not in the cluster's. */
  #networksAround({ ip, prefixLength }: Cidr): string[] | undefined {
    const cluster = this.#cluster.find(
      (wide) => wide.prefixLength <= prefixLength && cidrContains(wide, ip),
    );
    if (cluster === undefined && this.#cluster.length > 0) return undefined;
    const widest = cluster?.prefixLength ?? 0;
    return Array.from({ length: prefixLength - widest }, (_, index) =>
      formatCidr(network({ ip, prefixLength: widest + index })),
    );
  }
}
