import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatIp, parseIp } from "#/std/net/ip.ts";

/** The link of a Pod to the bridge, and the addresses that it was given. */
export interface PodLink {
  /** Name of the node's end. */
  readonly name: string;
  /** Hardware address of the Pod's end. */
  readonly mac: string;
  readonly ips: readonly string[];
}

/** Where libcni keeps the results of plugins: for most runtimes, and for cri-dockerd unless a flag says otherwise. */
export const cniResults: readonly string[] = ["/var/lib/cni/results", "/var/lib/cni/cache/results"];

/** The parts of a result in libcni's cache that are read here. */
interface CachedResult {
  readonly result?: {
    readonly interfaces?: readonly { name?: string; mac?: string; sandbox?: string }[];
    readonly ips?: readonly { address?: string; interface?: number }[];
  };
}

/** The link that a result of the CNI plugins describes; undefined if it is not one of this bridge. */
function podLinkOf(text: string, bridge: string): PodLink | undefined {
  const { interfaces = [], ips = [] } = (JSON.parse(text) as CachedResult).result ?? {};
  if (interfaces[0]?.name !== bridge) return undefined;
  const outer = interfaces.find(({ name, sandbox }) => name !== bridge && !sandbox);
  const innerAt = interfaces.findIndex(({ sandbox }) => sandbox);
  const mac = interfaces[innerAt]?.mac ?? "";
  const name = outer?.name ?? "";
  if (!/^[\w.-]{1,15}$/.test(name) || !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac))
    return undefined;
  const own = ips.filter((ip) => (ip.interface ?? innerAt) === innerAt);
  const addresses = own.flatMap(({ address = "" }) => parseIp(address.split("/")[0] ?? "") ?? []);
  return { name, mac: mac.toLowerCase(), ips: addresses.map(formatIp) };
}

/** Reads the links of the Pods of a node; files that did not change are read once. */
export class PodLinks {
  readonly #folders: readonly string[];
  readonly #bridge: string;
  /** The names of links in this network namespace. */
  readonly #linkNames: () => Promise<ReadonlySet<string>>;
  /** By the paths of results. */
  #read = new Map<string, PodLink | undefined>();

  constructor(
    bridge: string,
    linkNames: () => Promise<ReadonlySet<string>>,
    folders: readonly string[] = cniResults,
  ) {
    this.#folders = folders;
    this.#bridge = bridge;
    this.#linkNames = linkNames;
  }

  /** Results outlive their links after a crash, and other network namespaces have theirs in the same folder. */
  async list(): Promise<PodLink[]> {
    const read = new Map<string, PodLink | undefined>();
    for (const folder of this.#folders) {
      for (const file of await readdir(folder).catch(() => [])) {
        const path = join(folder, file);
        if (this.#read.has(path)) read.set(path, this.#read.get(path));
        else await this.#add(path, read);
      }
    }
    this.#read = read;
    const names = await this.#linkNames();
    return [...read.values()].filter(
      (link) => link !== undefined && names.has(link.name),
    ) as PodLink[];
  }

  /** A file that is being written is read at its next change. */
  async #add(path: string, into: Map<string, PodLink | undefined>): Promise<void> {
    try {
      const text = await readFile(path, "utf8");
      into.set(path, podLinkOf(text, this.#bridge));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!(error instanceof SyntaxError) && code !== "ENOENT") throw error;
    }
  }
}

/** The names of links in the text of /proc/net/dev. */
export function linkNamesOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^\s*([^\s:|]+):/gm)].map(([, name = ""]) => name));
}
