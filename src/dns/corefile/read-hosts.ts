import { formatIp, parseIp } from "#/std/net/ip.ts";
import { readSettings, seconds, takeArgs, zoneName } from "./directive-words.ts";
import type { HostsConfig } from "./dns-config.ts";
import { CorefileError, type Directive } from "./read-corefile.ts";

/** CoreDNS' TTL of these names (s). */
const defaultTtl = 3600;
/** Limit of lines with addresses: far more than a ConfigMap has. */
const maxEntries = 100_000;

/**
 * `hosts [FILE [ZONES...]] { ADDRESS NAMES... }`. A FILE is a key of the ConfigMap, whatever its folder: k3s and others
 * mount the ConfigMap, and name its keys as files.
 */
export function readHosts(
  plugin: Directive,
  files: Readonly<Record<string, string>>,
): Omit<HostsConfig, "zones"> & { readonly zones: readonly string[] | undefined } {
  const [path, ...zones] = takeArgs(plugin, 0, Number.POSITIVE_INFINITY);
  let ttl = defaultTtl;
  let hasReverse = true;
  let fallthrough: string[] = [];
  const entries: (readonly string[])[] = path === undefined ? [] : linesOf(plugin, path, files);
  const isEntry = ({ name }: Directive): boolean => parseIp(name) !== undefined;
  for (const { name, args } of plugin.inner.filter(isEntry)) entries.push([name, ...args]);
  readSettings(
    { ...plugin, inner: plugin.inner.filter((line) => !isEntry(line)) },
    {
      ttl: (line) => {
        ttl = seconds(line, takeArgs(line, 1)[0] ?? "");
      },
      no_reverse: () => {
        hasReverse = false;
      },
      // The ConfigMap is watched.
      reload: (line) => void takeArgs(line, 1),
      fallthrough: (line) => {
        fallthrough = line.args.length === 0 ? [""] : line.args.map((zone) => zoneName(line, zone));
      },
    },
  );
  if (entries.length > maxEntries) {
    throw new CorefileError(plugin.line, `hosts has more than ${maxEntries} entries`);
  }
  const own = zones.length === 0 ? undefined : zones.map((zone) => zoneName(plugin, zone));
  return { zones: own, ttl, fallthrough, ...tablesOf(plugin, entries, hasReverse) };
}

function linesOf(
  { line }: Directive,
  path: string,
  files: Readonly<Record<string, string>>,
): string[][] {
  const key = path.slice(path.lastIndexOf("/") + 1);
  const text = Object.hasOwn(files, key) ? files[key] : undefined;
  if (text === undefined) {
    throw new CorefileError(line, `there is no key ${key} in the ConfigMap for ${path}`);
  }
  const lines = text.split("\n").map((one) => one.replace(/#.*/, "").trim());
  return lines.filter((one) => one !== "").map((one) => one.split(/\s+/));
}

function tablesOf(
  { line }: Directive,
  entries: readonly (readonly string[])[],
  hasReverse: boolean,
): Pick<HostsConfig, "addresses" | "names"> {
  const addresses = new Map<string, string[]>();
  const names = new Map<string, string[]>();
  for (const [text = "", ...hosts] of entries) {
    const ip = parseIp(text);
    if (!ip) throw new CorefileError(line, `"${text}" is no address of hosts`);
    const address = formatIp(ip);
    for (const host of hosts) {
      const name = zoneName({ line }, host);
      add(addresses, name, address);
      if (hasReverse && !name.startsWith("*.")) add(names, address, name);
    }
  }
  return { addresses, names };
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const found = map.get(key);
  if (!found) map.set(key, [value]);
  else if (!found.includes(value)) found.push(value);
}
