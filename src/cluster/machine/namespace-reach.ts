import { networkInterfaces } from "node:os";
import { cidrContains, formatCidr, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { namespaceRange, namespaceRange6 } from "./namespace-rules.ts";

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
  const isNamespace = isInRange(address);
  return networks.some(
    (network) => network.split("/")[0] === address || (isNamespace && isIn(address, network)),
  );
}

/**
 * Warnings about pairs of nodes of one cluster that can't reach each other: other machines have no route to the addresses of
 * network namespaces. Empty if all can.
 */
export function reachHints(nodes: readonly PlacedNode[], networks: readonly string[]): string[] {
  const inNamespaces = nodes.filter(({ address }) => isInRange(address));
  const elsewhere = nodes.filter(({ address }) => !isHere(address, networks));
  const apart = inNamespaces.some((node) => elsewhere.some((other) => other !== node));
  if (!apart) return [];
  const names = inNamespaces.map(({ name }) => name).join(", ");
  return [
    `  network    ${names}: in network namespaces of one machine, which nodes of other machines do not reach;`,
    "             Pods there are not reached across machines: give each machine one node, or keep to one machine",
  ];
}

const isInRange = (address: string): boolean =>
  isIn(address, namespaceRange) || isIn(address, formatCidr(namespaceRange6));

function isIn(address: string, network: string): boolean {
  const [ip, cidr] = [parseIp(address), parseCidr(network)];
  return ip !== undefined && cidr !== undefined && cidrContains(cidr, ip);
}
