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

/** Where libcni keeps the results of plugins, whichever runtime calls them. */
export const cniResults = "/var/lib/cni/results";

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
  readonly #folder: string;
  readonly #bridge: string;
  /** The names of links in this network namespace. */
  readonly #linkNames: () => Promise<ReadonlySet<string>>;
  #read = new Map<string, PodLink | undefined>();

  constructor(
    bridge: string,
    linkNames: () => Promise<ReadonlySet<string>>,
    folder: string = cniResults,
  ) {
    this.#folder = folder;
    this.#bridge = bridge;
    this.#linkNames = linkNames;
  }

  /** Results outlive their links after a crash, and other network namespaces have theirs in the same folder. */
  async list(): Promise<PodLink[]> {
    const files = await readdir(this.#folder).catch(() => []);
    const read = new Map<string, PodLink | undefined>();
    for (const file of files) {
      if (this.#read.has(file)) read.set(file, this.#read.get(file));
      else await this.#add(file, read);
    }
    this.#read = read;
    const names = await this.#linkNames();
    return [...read.values()].filter(
      (link) => link !== undefined && names.has(link.name),
    ) as PodLink[];
  }

  /** A file that is being written is read at its next change. */
  async #add(file: string, into: Map<string, PodLink | undefined>): Promise<void> {
    try {
      const text = await readFile(join(this.#folder, file), "utf8");
      into.set(file, podLinkOf(text, this.#bridge));
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
