import type { Node } from "#/api/core/v1.ts";
import { type Cidr, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { formatIp, type Ip, isGlobalUnicast, parseNetIp } from "#/std/net/ip.ts";

/** Names and addresses that no node may have, whatever it says of itself. */
export interface ReservedNames {
  /** Names and addresses of the API server: those of its serving certificate. */
  readonly names: readonly string[];
  /** Networks of Services and Pods. */
  readonly networks: readonly string[];
  /** Domains of the cluster. */
  readonly domains: readonly string[];
}

interface KnownNames {
  /** The other Nodes. */
  readonly others: readonly Node[];
  /** Addresses of Services. */
  readonly clusterIps: readonly string[];
  readonly reserved: ReservedNames;
}

/** A name of DNS, lower-cased: no wildcard, no final dot. */
const dnsName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Why a serving certificate with these names must not be approved for a node; undefined if it may be.
 *
 * A name must be the Node's own, or below it, as the identity of the request proves that one only. An address must be
 * one that the Node reports, and that nothing else in the cluster has. Limit: the node writes its addresses itself, so
 * that it can get a certificate for an address that nothing in the cluster has yet. With that it can only pass for the
 * kubelet at that address, as the authority of these certificates is trusted for kubelets alone; a Node that later has
 * the same address gets no certificate until an administrator has decided.
 */
export function servingNamesProblem(
  asked: { readonly dns: readonly string[]; readonly ips: readonly string[] },
  node: Node,
  known: KnownNames,
): string | undefined {
  for (const name of asked.dns) {
    const problem = nameProblem(name.toLowerCase(), node, known);
    if (problem) return `${JSON.stringify(name)} ${problem}`;
  }
  for (const text of asked.ips) {
    const problem = addressProblem(text, node, known);
    if (problem) return `${text} ${problem}`;
  }
  return undefined;
}

function nameProblem(name: string, { metadata }: Node, known: KnownNames): string | undefined {
  if (!dnsName.test(name) || parseNetIp(name)) return "is not the name of a machine";
  const own = (metadata.name ?? "").toLowerCase();
  if (name !== own && !name.startsWith(`${own}.`)) return "is not a name of the node";
  const { reserved, others } = known;
  const domains = [...reserved.domains, "svc", "localhost"].map((domain) => domain.toLowerCase());
  if (name.split(".").includes("svc") || domains.some((domain) => isBelow(name, domain))) {
    return "is in a domain of the cluster";
  }
  if (reserved.names.some((one) => one.toLowerCase() === name)) return "is the API server's";
  const isTaken = others.some((other) => namesOf(other).includes(name));
  return isTaken ? "is another node's" : undefined;
}

const isBelow = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`);

function addressProblem(text: string, node: Node, known: KnownNames): string | undefined {
  const ip = addressOf(text);
  if (!ip) return "is not an address";
  if (!isGlobalUnicast(ip)) return "is not an address of a machine";
  const address = formatIp(ip);
  if (!addressesOf(node).includes(address)) return "is not an address of the node";
  const { reserved, clusterIps, others } = known;
  const networks = reserved.networks.map(parsedNetwork);
  if (networks.some((network) => cidrContains(network, ip)))
    return "is in a network of the cluster";
  if (canonical(clusterIps).includes(address)) return "is a Service's";
  if (canonical(reserved.names).includes(address)) return "is the API server's";
  const isTaken = others.some((other) => addressesOf(other).includes(address));
  return isTaken ? "is another node's" : undefined;
}

function parsedNetwork(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is not a network`);
  return cidr;
}

const addressOf = (text: string): Ip | undefined => parseNetIp(text, { sloppy: true });

/** The addresses among texts, in one form. */
const canonical = (texts: readonly string[]): string[] =>
  texts.map(addressOf).flatMap((ip) => (ip ? [formatIp(ip)] : []));

const addressTexts = ({ status }: Node): string[] =>
  (status?.addresses ?? []).map(({ address }) => address);

const addressesOf = (node: Node): string[] => canonical(addressTexts(node));

const namesOf = (node: Node): string[] =>
  [node.metadata.name ?? "", ...addressTexts(node)].map((name) => name.toLowerCase());
