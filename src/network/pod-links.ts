import { CniResults, cniResultFolders } from "#/std/cni/cni-results.ts";

/** The link of a Pod to the bridge, and the addresses that it was given. */
export interface PodLink {
  /** Name of the node's end. */
  readonly name: string;
  /** Hardware address of the Pod's end. */
  readonly mac: string;
  readonly ips: readonly string[];
}

/** Reads the links of the Pods of a node. */
export class PodLinks {
  readonly #bridge: string;
  readonly #results: CniResults;

  constructor(
    bridge: string,
    linkNames: () => Promise<ReadonlySet<string>>,
    folders: readonly string[] = cniResultFolders,
  ) {
    this.#bridge = bridge;
    this.#results = new CniResults(linkNames, folders);
  }

  async list(): Promise<PodLink[]> {
    const results = await this.#results.list();
    return results.flatMap(({ bridge, link: name, mac, ips }) =>
      bridge === this.#bridge && name !== undefined && mac !== undefined
        ? [{ name, mac, ips }]
        : [],
    );
  }
}
