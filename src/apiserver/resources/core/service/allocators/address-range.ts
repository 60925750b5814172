import type { Random } from "#/std/base/random.ts";
import { type Cidr, cidrContains, cidrSize, network } from "#/std/net/cidr.ts";
import { formatIp, type Ip } from "#/std/net/ip.ts";
import { addressBand, rangeOffset } from "./range-offset.ts";

/** The addresses of a network that can be allocated: all except the first and, in IPv4, the last. */
export class AddressRange {
  readonly cidr: Cidr;
  readonly #first: bigint;
  readonly #last: bigint;

  constructor(cidr: Cidr) {
    this.cidr = network(cidr);
    const { family, value } = this.cidr.ip;
    this.#first = value + 1n;
    this.#last = value + cidrSize(this.cidr) - (family === 4 ? 2n : 1n);
  }

  /** Whether an address can be allocated. */
  contains(ip: Ip): boolean {
    return cidrContains(this.cidr, ip) && ip.value >= this.#first && ip.value <= this.#last;
  }

  /**
   * Every address once, in random rotation: first those of the upper part of the range, then those of the lower part,
   * which is kept as long as possible for Services that request a certain address.
   */
  *candidates(random: Random): Generator<string, void> {
    const size = this.#last - this.#first + 1n;
    if (size <= 0n) return;
    const total = Number(cidrSize(this.cidr));
    const offset = BigInt(rangeOffset(total, addressBand));
    yield* this.#cycle(this.#first + offset, this.#last, random);
    if (offset > 0n) yield* this.#cycle(this.#first, this.#first + offset - 1n, random);
  }

  *#cycle(first: bigint, last: bigint, random: Random): Generator<string, void> {
    const size = last - first + 1n;
    if (size <= 0n) return;
    const { family } = this.cidr.ip;
    const start = randomBelow(size, random);
    for (let step = 0n; step < size; step++) {
      yield formatIp({ family, value: first + ((start + step) % size) });
    }
  }
}

function randomBelow(limit: bigint, random: Random): bigint {
  const word = (): bigint => BigInt(Math.floor(random() * 2 ** 32));
  return ((word() << 32n) | word()) % limit;
}
