import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatIp, parseIp } from "../net/ip.ts";

/** Where libcni keeps the results of plugins: for most runtimes, and for cri-dockerd unless a flag says otherwise. */
export const cniResultFolders: readonly string[] = [
  "/var/lib/cni/results",
  "/var/lib/cni/cache/results",
];

/** What the CNI plugins have given a sandbox. */
export interface CniResult {
  /** The first interface: the bridge, if there is one. */
  readonly bridge: string | undefined;
  /** Name of the node's end of the link; undefined if the plugin did not report it. */
  readonly link: string | undefined;
  /** Hardware address of the sandbox's end. */
  readonly mac: string | undefined;
  readonly ips: readonly string[];
  /** The Pod, as the runtime has named it. */
  readonly pod: { readonly namespace: string; readonly name: string } | undefined;
}

/** The parts of a result in libcni's cache that are read here. */
interface CachedResult {
  readonly cniArgs?: readonly (readonly string[])[];
  readonly result?: {
    readonly interfaces?: readonly { name?: string; mac?: string; sandbox?: string }[];
    readonly ips?: readonly { address?: string; interface?: number }[];
  };
}

function parseResult(text: string): CniResult {
  const { cniArgs, result } = JSON.parse(text) as CachedResult;
  const { interfaces = [], ips = [] } = result ?? {};
  const bridge = interfaces[0]?.name;
  const outer = interfaces.find(({ name, sandbox }) => name !== bridge && !sandbox)?.name;
  const innerAt = interfaces.findIndex(({ sandbox }) => sandbox);
  const mac = interfaces[innerAt]?.mac?.toLowerCase() ?? "";
  const own = ips.filter((ip) => (ip.interface ?? innerAt) === innerAt);
  const addresses = own.flatMap(({ address = "" }) => parseIp(address.split("/")[0] ?? "") ?? []);
  const argument = (key: string) => cniArgs?.find(([name]) => name === key)?.[1];
  const [namespace, name] = [argument("K8S_POD_NAMESPACE"), argument("K8S_POD_NAME")];
  return {
    bridge,
    link: outer && /^[\w.-]{1,15}$/.test(outer) ? outer : undefined,
    mac: /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) ? mac : undefined,
    ips: addresses.map(formatIp),
    pod: namespace && name ? { namespace, name } : undefined,
  };
}

/** Reads the results of CNI plugins; files that did not change are read once. */
export class CniResults {
  readonly #folders: readonly string[];
  /** The names of links in this network namespace. */
  readonly #linkNames: () => Promise<ReadonlySet<string>>;
  /** By the paths of results. */
  #read = new Map<string, CniResult>();

  constructor(
    linkNames: () => Promise<ReadonlySet<string>>,
    folders: readonly string[] = cniResultFolders,
  ) {
    this.#folders = folders;
    this.#linkNames = linkNames;
  }

  /** Results outlive their links after a crash, and other network namespaces have theirs in the same folder. */
  async list(): Promise<CniResult[]> {
    const read = new Map<string, CniResult>();
    for (const folder of this.#folders) {
      for (const file of await readdir(folder).catch(() => [])) {
        const path = join(folder, file);
        const known = this.#read.get(path);
        if (known) read.set(path, known);
        else await this.#add(path, read);
      }
    }
    this.#read = read;
    const names = await this.#linkNames();
    return [...read.values()].filter(({ link }) => link === undefined || names.has(link));
  }

  /** A file that is being written is read at its next change. */
  async #add(path: string, into: Map<string, CniResult>): Promise<void> {
    try {
      into.set(path, parseResult(await readFile(path, "utf8")));
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
