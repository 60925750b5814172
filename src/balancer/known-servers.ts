import { readFile, rename, writeFile } from "node:fs/promises";

/** A server of the API, and when it was last in the list of those that work. */
interface KnownServer {
  /** https://HOST:PORT. */
  readonly address: string;
  readonly seenMs: number;
}

/**
 * Time (ms) for which a server that has left the list is kept: those that come back after a failure of all may be others than
 * those that failed last.
 */
const keptMs = 7 * 24 * 3600 * 1000;
/** Limit of the known servers (count): clusters have up to seven. */
const maxServers = 16;

/** Adds the present servers to those that are known, the present ones first. Pure. */
export function mergeServers(
  known: readonly KnownServer[],
  present: readonly string[],
  nowMs: number,
): KnownServer[] {
  const now = present.map((address) => ({ address, seenMs: nowMs }));
  const earlier = known
    .filter(({ address, seenMs }) => !present.includes(address) && nowMs - seenMs < keptMs)
    .toSorted((a, b) => b.seenMs - a.seenMs);
  return [...now, ...earlier].slice(0, maxServers);
}

/**
 * All servers, each once: the list of those that work has the own one by an address of this machine, and the own address
 * leads there already. Pure.
 */
export function serversWithOwn(
  addresses: readonly string[],
  own: string | undefined,
  machineIps: readonly string[],
): string[] {
  if (own === undefined) return [...new Set(addresses)];
  const port = portOf(own);
  const isOwn = (address: string): boolean =>
    portOf(address) === port && machineIps.includes(hostOf(address));
  return [...new Set([own, ...addresses.filter((address) => !isOwn(address))])];
}

const portOf = (address: string): string => new URL(address).port || "443";
const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[(.*)\]$/, "$1");

/** The servers of a file; none if it is missing or damaged: the flags name some as well. */
export async function readServers(file: string): Promise<KnownServer[]> {
  if (file === "") return [];
  const text = await readFile(file, "utf8").catch(() => "[]");
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter(isServer) : [];
  } catch {
    return [];
  }
}

function isServer(found: unknown): found is KnownServer {
  const { address, seenMs } = (found ?? {}) as Partial<KnownServer>;
  return typeof address === "string" && URL.canParse(address) && typeof seenMs === "number";
}

export async function writeServers(file: string, servers: readonly KnownServer[]): Promise<void> {
  if (file === "") return;
  await writeFile(`${file}.new`, `${JSON.stringify(servers)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
