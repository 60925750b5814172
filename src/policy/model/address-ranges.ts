import { type Cidr, cidrSize, network } from "#/std/net/cidr.ts";
import { formatIp } from "#/std/net/ip.ts";

/** Consecutive addresses, both ends included. */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

/** A network without some of its parts. */
export interface AddressBlock {
  readonly cidr: Cidr;
  readonly except: readonly Cidr[];
}

/** The addresses of all blocks, as the fewest ranges, sorted. An exception of one block may be in another one. */
export function rangesOf(blocks: readonly AddressBlock[]): AddressRange[] {
  const pieces = blocks.flatMap(({ cidr, except }) =>
    except.reduce(
      (left, hole) => left.flatMap((piece) => without(piece, rangeOf(hole))),
      [rangeOf(cidr)],
    ),
  );
  return merge(pieces);
}

/** Whether ranges of one family are all of its addresses. */
export function isWholeFamily([range, ...more]: readonly AddressRange[]): boolean {
  if (range === undefined || more.length > 0) return false;
  return range.first === 0n && range.last === (1n << (range.family === 4 ? 32n : 128n)) - 1n;
}

/** As nft writes it. */
export function formatRange({ family, first, last }: AddressRange): string {
  const start = formatIp({ family, value: first });
  return first === last ? start : `${start}-${formatIp({ family, value: last })}`;
}

function rangeOf(cidr: Cidr): AddressRange {
  const { family, value } = network(cidr).ip;
  return { family, first: value, last: value + cidrSize(cidr) - 1n };
}

function without(range: AddressRange, hole: AddressRange): AddressRange[] {
  const { family, first, last } = range;
  if (hole.family !== family || hole.last < first || hole.first > last) return [range];
  return [
    { family, first, last: hole.first - 1n },
    { family, first: hole.last + 1n, last },
  ].filter((piece) => piece.first <= piece.last);
}

function merge(pieces: readonly AddressRange[]): AddressRange[] {
  const sorted = pieces.toSorted((a, b) => a.family - b.family || compare(a.first, b.first));
  const merged: AddressRange[] = [];
  for (const piece of sorted) {
    const before = merged.at(-1);
    if (before?.family === piece.family && piece.first <= before.last + 1n) {
      if (piece.last > before.last) merged[merged.length - 1] = { ...before, last: piece.last };
    } else merged.push(piece);
  }
  return merged;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
