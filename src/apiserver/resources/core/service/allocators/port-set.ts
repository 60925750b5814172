import { type Random, randomInt } from "#/std/base/random.ts";
import { AllocationError, rangeFull } from "./allocation-error.ts";
import { portBand, rangeOffset } from "./range-offset.ts";

/** The range of ports that can be allocated, both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const formatPortRange = ({ first, last }: PortRange): string => `${first}-${last}`;

/** A range of ports and its allocated ports. */
export interface Ports {
  has(port: number): boolean;
  /** Allocates a port. Throws AllocationError. */
  take(port: number): void;
  /** Allocates any free port. Throws AllocationError. */
  takeAny(): number;
}

/**
 * Ports in memory. Any free port is chosen from the upper part of the range while that has free ports.
 *
 * Upstream: pkg/registry/core/service/portallocator/allocator.go, allocator/bitmap.go.
 */
export class PortSet implements Ports {
  readonly #range: PortRange;
  readonly #random: Random;
  readonly #taken: Set<number>;

  constructor(range: PortRange, random: Random, taken: Iterable<number> = []) {
    this.#range = range;
    this.#random = random;
    this.#taken = new Set(taken);
  }

  get taken(): ReadonlySet<number> {
    return this.#taken;
  }

  has(port: number): boolean {
    return this.#taken.has(port);
  }

  take(port: number): void {
    if (port < this.#range.first || port > this.#range.last) {
      const valid = formatPortRange(this.#range);
      throw new AllocationError(
        `provided port is not in the valid range. The range of valid ports is ${valid}`,
      );
    }
    if (this.#taken.has(port)) throw new AllocationError("provided port is already allocated");
    this.#taken.add(port);
  }

  takeAny(): number {
    const { first, last } = this.#range;
    const upper = first + rangeOffset(last - first + 1, portBand);
    const port = this.#findFree(upper, last) ?? this.#findFree(first, upper - 1);
    if (port === undefined) throw rangeFull();
    this.#taken.add(port);
    return port;
  }

  release(port: number): void {
    this.#taken.delete(port);
  }

  #findFree(first: number, last: number): number | undefined {
    const size = last - first + 1;
    if (size <= 0) return undefined;
    const start = randomInt(this.#random, size);
    for (let step = 0; step < size; step++) {
      const port = first + ((start + step) % size);
      if (!this.#taken.has(port)) return port;
    }
    return undefined;
  }
}

/** Upstream numbers the ports of a dry run from here. */
const dryRunPort = 32769;

/** Ports of a dry run: nothing is allocated, and any free port is a placeholder. */
export class DryRunPorts implements Ports {
  readonly #real: Pick<Ports, "has">;
  readonly #taken = new Set<number>();
  #highest: number | undefined;

  constructor(real: Pick<Ports, "has">) {
    this.#real = real;
  }

  has(port: number): boolean {
    return this.#real.has(port) || this.#taken.has(port);
  }

  take(port: number): void {
    if (this.has(port)) throw new AllocationError("provided port is already allocated");
    this.#add(port);
  }

  #add(port: number): void {
    this.#taken.add(port);
    this.#highest = Math.max(this.#highest ?? port, port);
  }

  takeAny(): number {
    const port = this.#highest === undefined ? dryRunPort : this.#highest + 1;
    this.#add(port);
    return port;
  }
}
