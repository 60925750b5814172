import { networkInterfaces } from "node:os";
import { cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { namespaceRange } from "./namespace-rules.ts";

/** A node, with its address in the API. */
interface PlacedNode {
  readonly name: string;
  readonly address: string;
}

/** Networks of this machine's interfaces, as ADDRESS/BITS. */
export const ownNetworks = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ cidr }) => cidr ?? []),
  );

/** True if an address is this machine's, or of a network namespace of this machine. */
export function isHere(address: string, networks: readonly string[]): boolean {
  const isNamespace = isIn(address, namespaceRange);
  return networks.some(
    (network) => network.split("/")[0] === address || (isNamespace && isIn(address, network)),
  );
}

/**
 * Warnings about pairs of nodes of one cluster that can't reach each other: other machines have no route to the addresses of
 * network namespaces. Empty if all can.
 */
export function reachHints(nodes: readonly PlacedNode[], networks: readonly string[]): string[] {
  const inNamespaces = nodes.filter(({ address }) => isIn(address, namespaceRange));
  const elsewhere = nodes.filter(({ address }) => !isHere(address, networks));
  const apart = inNamespaces.some((node) => elsewhere.some((other) => other !== node));
  if (!apart) return [];
  const names = inNamespaces.map(({ name }) => name).join(", ");
  return [
    `  network    ${names}: in network namespaces of one machine, which nodes of other machines do not reach;`,
    "             Pods there are not reached across machines: give each machine one node, or keep to one machine",
  ];
}

function isIn(address: string, network: string): boolean {
  const [ip, cidr] = [parseIp(address), parseCidr(network)];
  return ip !== undefined && cidr !== undefined && cidrContains(cidr, ip);
}
