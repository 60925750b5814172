/** Upstream: staging/src/k8s.io/cloud-provider/node/helpers/address.go, …/controllers/node/node_controller.go. */
import type { Node, NodeAddress } from "#/api/core/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { formatIp, type Ip, isUnspecified, parseNetIp, sameIp } from "#/std/net/ip.ts";

const providedIpAnnotation = "alpha.kubernetes.io/provided-node-ip";

/**
 * The addresses that a node must have; undefined if it must keep those that it has. Throws if the kubelet's own address
 * is not among those of the cloud.
 */
export function planAddresses(
  node: Node,
  ofCloud: readonly NodeAddress[],
): readonly NodeAddress[] | undefined {
  if (ofCloud.length === 0) return undefined;
  const present = node.status?.addresses ?? [];
  const isHostName = ({ type }: NodeAddress) => type === "Hostname";
  // Without a host name from the cloud, that of the kubelet stays.
  const all = ofCloud.some(isHostName) ? ofCloud : [...ofCloud, ...present.filter(isHostName)];
  const planned = preferProvidedIp(node, all);
  return haveChanged(present, planned) ? planned : undefined;
}

/** The addresses in the order that the kubelet's --node-ip demands: see enforced(). */
export function preferProvidedIp(
  { metadata }: Node,
  addresses: readonly NodeAddress[],
): readonly NodeAddress[] {
  const provided = metadata.annotations?.[providedIpAnnotation];
  return provided === undefined ? addresses : enforced(provided, addresses);
}

/**
 * Those that are a provided address come first, and are the only ones of their type; addresses of other types follow.
 */
function enforced(provided: string, addresses: readonly NodeAddress[]): NodeAddress[] {
  const matching = parseProvided(provided).flatMap((ip) => {
    const found = addresses.filter(({ address }) => isAddress(address, ip));
    if (found.length > 0) return found;
    throw new Error(
      `failed to get node address from cloud provider that matches ip: ${formatIp(ip)}`,
    );
  });
  const types = new Set(matching.map(({ type }) => type));
  return [...matching, ...addresses.filter(({ type }) => !types.has(type))];
}

function isAddress(text: string, ip: Ip): boolean {
  const parsed = parseNetIp(text);
  return parsed !== undefined && sameIp(parsed, ip);
}

/** Upstream: staging/src/k8s.io/component-helpers/node/util/ips.go (ParseNodeIPAnnotation). */
function parseProvided(text: string): Ip[] {
  const fail = (why: string) => new Error(`failed to parse node IP ${goQuote(text)}: ${why}`);
  const ips = text.split(",").map((part) => {
    const ip = parseNetIp(part);
    if (ip) return ip;
    throw fail(`could not parse ${goQuote(part)}`);
  });
  const [first, second, ...more] = ips;
  if (more.length > 0 || (first && second && first.family === second.family)) {
    throw fail("must contain either a single IP or a dual-stack pair of IPs");
  }
  if (second && ips.some(isUnspecified)) {
    throw fail("dual-stack node IP cannot include '0.0.0.0' or '::'");
  }
  return ips;
}

/** Compares as upstream does: of several addresses of one type, only the last counts. */
function haveChanged(before: readonly NodeAddress[], now: readonly NodeAddress[]): boolean {
  if (before.length !== now.length) return true;
  const byType = new Map(before.map(({ type, address }) => [type, address]));
  return now.some(({ type, address }) => byType.get(type) !== address);
}
