import { createHash } from "node:crypto";
import {
  addressAt,
  type Cidr,
  cidrContains,
  cidrSize,
  cidrsOverlap,
  formatCidr,
  isCanonical,
  parseCidr,
} from "#/std/net/cidr.ts";
import { formatIp, parseIp } from "#/std/net/ip.ts";

export type Family = "IPv4" | "IPv6";

/** Limit of addresses that are used of one network: the search for a free one must end. */
const maxAddresses = 65_536n;

/** The addresses of load balancers. */
export class AddressPool {
  readonly #cidrs: readonly Cidr[];

  /** Throws if a network is invalid, or if two of them overlap. */
  constructor(cidrs: readonly string[]) {
    this.#cidrs = cidrs.map(parsePool);
    for (const [index, cidr] of this.#cidrs.entries()) {
      const other = this.#cidrs.slice(0, index).find((one) => cidrsOverlap(one, cidr));
      if (other) throw new Error(`the pools ${formatCidr(other)} and ${formatCidr(cidr)} overlap`);
    }
  }

  has(address: string): boolean {
    const ip = parseIp(address);
    return ip !== undefined && this.#cidrs.some((cidr) => cidrContains(cidr, ip));
  }

  toString(): string {
    return this.#cidrs.map(formatCidr).join(", ");
  }

  /** Networks of a family, for messages; empty if there are none. */
  ofFamily(family: Family): string {
    return this.#of(family).map(formatCidr).join(", ");
  }

  /**
   * A free address; undefined if there is none. The search begins at a place that depends on the owner: an owner that is
   * created again usually gets the address that it had, and a released address is not given to the next one at once.
   */
  findFree(
    family: Family,
    owner: string,
    isTaken: (address: string) => boolean,
  ): string | undefined {
    for (const cidr of this.#of(family)) {
      const { first, count } = usable(cidr);
      const start = hashOf(owner) % count;
      for (let step = 0n; step < count; step++) {
        const address = formatIp(addressAt(cidr, first + ((start + step) % count)));
        if (!isTaken(address)) return address;
      }
    }
    return undefined;
  }

  #of(family: Family): readonly Cidr[] {
    return this.#cidrs.filter(({ ip }) => ip.family === (family === "IPv4" ? 4 : 6));
  }
}

export const familyOf = (address: string): Family => (address.includes(":") ? "IPv6" : "IPv4");

function parsePool(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`the pool "${text}" is no network such as 198.18.0.0/24`);
  if (!isCanonical(cidr)) throw new Error(`the pool "${text}" has bits after its prefix`);
  return cidr;
}

/** Without the network's own address and the broadcast address, which some clients refuse. */
function usable(cidr: Cidr): { readonly first: bigint; readonly count: bigint } {
  const size = cidrSize(cidr);
  const count = size <= 2n ? size : size - 2n;
  return { first: size <= 2n ? 0n : 1n, count: count < maxAddresses ? count : maxAddresses };
}

const hashOf = (text: string): bigint =>
  BigInt(createHash("sha256").update(text).digest().readUInt32BE(0));
