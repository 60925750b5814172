import { lookup } from "node:dns/promises";
import type { NodeAddress } from "#/api/core/v1.ts";
import { formatIp, isLoopback, isUnspecified, parseNetIp } from "#/std/net/ip.ts";
import { defaultInterface, localAddresses } from "./machine-facts.ts";

/**
 * The node's IP addresses, at most one per family: those given by `--node-ip`, or its name's, or that of the interface
 * that leads out.
 *
 * Upstream: pkg/kubelet/nodestatus/setters.go.
 */
export async function findNodeIPs(nodeName: string, given: string): Promise<readonly string[]> {
  const specified = givenNodeIPs(given);
  if (specified.length > 0) return specified;
  const prefersV6 = parsedIPs(given)[0]?.family === 6;
  const own = parseNetIp(nodeName);
  if (own !== undefined) return [formatIp(own)];
  const local = localAddresses();
  const named = await lookupAll(nodeName);
  const usable = named.filter((address) => local.some((one) => one.address === address));
  const leading = defaultInterface();
  const outward = local
    .filter((one) => leading === undefined || one.interface === leading)
    .map(({ address }) => address);
  const candidates = [...usable, ...outward, ...local.map(({ address }) => address)];
  const preferred = candidates.find((address) => address.includes(":") === prefersV6);
  const found = preferred ?? candidates[0];
  if (found === undefined) {
    throw new Error(`can't get ip address of node ${nodeName}. error: no default routes found`);
  }
  return [found];
}

/** The addresses of --node-ip, without unspecified ones. */
export const givenNodeIPs = (given: string): string[] =>
  parsedIPs(given).flatMap((ip) => (ip && !isUnspecified(ip) ? [formatIp(ip)] : []));

function parsedIPs(given: string) {
  const texts = given.split(",").map((text) => text.trim());
  return texts.filter((text) => text !== "").map((text) => parseNetIp(text));
}

async function lookupAll(name: string): Promise<string[]> {
  try {
    const found = await lookup(name, { all: true });
    return found
      .map(({ address }) => address)
      .filter((address) => {
        const ip = parseNetIp(address);
        return ip !== undefined && !isLoopback(ip);
      });
  } catch {
    return [];
  }
}

/** Addresses of a node's status. */
export function nodeAddresses(ips: readonly string[], hostname: string): NodeAddress[] {
  return [
    ...ips.map((address): NodeAddress => ({ type: "InternalIP", address })),
    { type: "Hostname", address: hostname },
  ];
}
