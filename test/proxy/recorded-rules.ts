import { readFile } from "node:fs/promises";
import { ensureCounters, localhostAccepted } from "#/proxy/iptables/packet-counters.ts";
import type { NetworkNamespace } from "#/testing/network-namespace.ts";
import type { ProxyMode, RuleListing } from "./node-namespace.ts";

/** The rules of the real kube-proxy; without counters if the kernel has none. */
export async function recordedRules(
  mode: ProxyMode,
  namespace: NetworkNamespace,
): Promise<RuleListing> {
  const text = await readFile(new URL(`recorded/${mode}.json`, import.meta.url), "utf8");
  const rules = JSON.parse(text) as RuleListing;
  if ((await ensureCounters(namespace.run)).size > 0) return rules;
  const plain = (lines: string[]): string[] =>
    lines
      .filter((line) => !line.includes(localhostAccepted))
      .map((line) => line.replace(/-m nfacct --nfacct-name +\S+ /, ""));
  return Object.fromEntries(Object.entries(rules).map(([name, lines]) => [name, plain(lines)]));
}
