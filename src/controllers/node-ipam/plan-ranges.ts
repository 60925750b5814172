/** Upstream: pkg/controller/nodeipam/ipam. */
import { type Cidr, cidrsOverlap, formatCidr, parseCidr, subnetAt } from "#/std/net/cidr.ts";

/** A range of pod addresses, and the size of a node's part. */
export interface ClusterRange {
  readonly cidr: Cidr;
  readonly nodePrefixLength: number;
}

/** The flags of node-ipam. */
interface RangeFlags {
  readonly "cluster-cidr": string;
  readonly "service-cluster-ip-range": string;
  readonly "node-cidr-mask-size": number;
  readonly "node-cidr-mask-size-ipv4": number;
  readonly "node-cidr-mask-size-ipv6": number;
}

const defaultPrefixLengths = { 4: 24, 6: 64 } as const;
/** Limit of the number of parts of one range (bits): more than any cluster has nodes. */
const maxPartBits = 16;

/** Parses --cluster-cidr and the sizes of nodes' parts; throws if they are invalid. */
export function clusterRanges(flags: RangeFlags): ClusterRange[] {
  const cidrs = flags["cluster-cidr"].split(",").map((text) => parsed(text.trim()));
  return cidrs.map((cidr) => {
    const given = cidr.ip.family === 4 ? "node-cidr-mask-size-ipv4" : "node-cidr-mask-size-ipv6";
    const single = cidrs.length === 1 ? flags["node-cidr-mask-size"] : 0;
    const nodePrefixLength = flags[given] || single || defaultPrefixLengths[cidr.ip.family];
    if (
      nodePrefixLength < cidr.prefixLength ||
      nodePrefixLength - cidr.prefixLength > maxPartBits
    ) {
      throw new Error(
        `a node's part of ${formatCidr(cidr)} can't have a prefix of ${nodePrefixLength} bits`,
      );
    }
    return { cidr, nodePrefixLength };
  });
}

export function serviceRanges(flags: RangeFlags): Cidr[] {
  const texts = flags["service-cluster-ip-range"].split(",").map((text) => text.trim());
  return texts.filter((text) => text !== "").map(parsed);
}

function parsed(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`"${text}" is no range of addresses`);
  return cidr;
}

/** The ranges that are in use. */
export interface TakenRanges {
  /** Whether a range of a node has exactly this text. */
  readonly has: (text: string) => boolean;
  /** Ranges of other sizes than a node's part. */
  readonly others: readonly Cidr[];
}

/**
 * The first part of a range without overlap, from a position on, and its position; undefined if
 * there is none. The search continues after the last part that was given, as upstream's: it costs
 * little whatever the number of nodes.
 */
export function freePart(
  { cidr, nodePrefixLength }: ClusterRange,
  { has, others }: TakenRanges,
  from = 0,
): { readonly part: Cidr; readonly index: number } | undefined {
  const count = 2 ** (nodePrefixLength - cidr.prefixLength);
  for (let step = 0; step < count; step++) {
    const index = (from + step) % count;
    const part = subnetAt(cidr, nodePrefixLength, index);
    if (!has(formatCidr(part)) && !others.some((other) => cidrsOverlap(part, other)))
      return { part, index };
  }
  return undefined;
}
