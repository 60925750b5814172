import type { CniResult } from "#/std/cni/cni-results.ts";
import { cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { linkLocalOf } from "#/std/net/link-local.ts";
import type { LocalPod } from "../plan/plan-table.ts";
import { podKey } from "./members.ts";

/** What the plugins have given a Pod, which they know before the API does. */
export interface Sandbox {
  readonly ips: readonly string[];
  /** The addresses of the link itself, which the kernel derives from its hardware address. */
  readonly linkIps: readonly string[];
  /** The node's ends of its links. */
  readonly links: readonly string[];
}

/** The sandboxes of this node, by the key of the Pod. */
export function sandboxesOf(
  results: readonly CniResult[],
  podCidrs: readonly string[],
): Map<string, Sandbox> {
  const networks = podCidrs.flatMap((text) => parseCidr(text) ?? []);
  const found = new Map<string, Sandbox>();
  for (const { pod, ips, mac, link } of results) {
    if (!pod) continue;
    // Clusters on the same machine, each in a network namespace, have their results in the same folder.
    const own = ips.filter((text) => {
      const ip = parseIp(text);
      return ip && (networks.length === 0 || networks.some((cidr) => cidrContains(cidr, ip)));
    });
    if (own.length === 0) continue;
    const key = podKey(pod.namespace, pod.name);
    const before = found.get(key) ?? { ips: [], linkIps: [], links: [] };
    found.set(key, {
      ips: [...before.ips, ...own],
      linkIps: [...before.linkIps, ...(mac ? [linkLocalOf(mac)] : [])],
      links: [...before.links, ...(link ? [link] : [])],
    });
  }
  return found;
}

/** A Pod of this node, and the addresses that its status has. */
export interface ReportedPod {
  readonly key: string;
  readonly ips: readonly string[];
}

/**
 * The Pods of this node with their addresses. An address belongs to the Pod whose sandbox has it; the status of another
 * one that had it before may still have it, too.
 */
export function localPods(
  reported: readonly ReportedPod[],
  sandboxes: ReadonlyMap<string, Sandbox>,
): LocalPod[] {
  const taken = new Map<string, string>();
  for (const [key, { ips }] of sandboxes) for (const ip of ips) taken.set(ip, key);
  return reported.flatMap(({ key, ips }) => {
    const sandbox = sandboxes.get(key);
    const all = new Set([...(sandbox?.ips ?? []), ...ips]);
    const own = [...all].filter((ip) => (taken.get(ip) ?? key) === key);
    if (own.length === 0) return [];
    return [{ key, ips: own, linkIps: sandbox?.linkIps ?? [], links: sandbox?.links ?? [] }];
  });
}
