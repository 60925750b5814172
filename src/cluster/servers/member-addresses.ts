import { readFileSync } from "node:fs";
import type { ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { clientUrl } from "../etcd/member-launch.ts";
import { knownServersFile } from "../parts/balancer.ts";

/** The addresses at which the other members are asked: those of the time when this server joined, and of servers known since. */
export function memberAddresses(paths: ClusterPaths, { etcd }: ClusterSettings): string[] {
  const joined = (etcd?.joined ?? []).map((member) => member.slice(member.indexOf("=") + 1));
  const all = [...joined, ...knownServers(paths)].map((url) => clientUrl(hostOf(url)));
  return [...new Set(all)];
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");

/** The servers that the balancer of this machine knows; none before its first start. */
function knownServers(paths: ClusterPaths): string[] {
  try {
    const found: unknown = JSON.parse(readFileSync(knownServersFile(paths), "utf8"));
    if (!Array.isArray(found)) return [];
    return found
      .map((one: { readonly address?: unknown } | null) => one?.address)
      .filter((address) => typeof address === "string" && URL.canParse(address)) as string[];
  } catch {
    return [];
  }
}
