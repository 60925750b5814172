import { CelFault } from "./cel-fault.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Comparable } from "./comparable.ts";
import { spendEffort } from "./effort.ts";
import { equals } from "./equality.ts";
import { isInt64, isUint64, Uint } from "./uint.ts";

/**
 * A map. Its values may be created on access, and access may fail.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/map.go.
 */
export abstract class CelMap extends Comparable {
  abstract readonly size: number;

  /** The value of a key; undefined if there is none. */
  abstract find(key: CelValue): CelResult | undefined;

  abstract keys(): Iterable<CelValue>;

  /** Whether it counts as absent for optional.ofNonZeroValue. */
  get isZero(): boolean {
    return this.size === 0;
  }

  contains(key: CelValue): boolean | CelFault {
    return this.find(key) !== undefined;
  }

  /** All keys with their values; reading one takes as long as some elements of a list. */
  *entries(): Generator<readonly [CelValue, CelResult], void> {
    spendEffort(2 * this.size);
    for (const key of this.keys()) {
      const value = this.find(key);
      if (value !== undefined) yield [key, value];
    }
  }

  /** Values count as equal unless they are known to differ. */
  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const [key, mine] of this.entries()) {
      const theirs = other.find(key);
      if (theirs === undefined) return false;
      if (mine instanceof CelFault || theirs instanceof CelFault) continue;
      if (equals(mine, theirs) === false) return false;
    }
    return true;
  }
}

interface Entry {
  readonly key: CelValue;
  readonly value: CelValue;
}

/** A map of existing entries, with keys of any type. */
export class EntryMap extends CelMap {
  readonly #entries = new Map<unknown, Entry>();

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: CelValue): CelResult | undefined {
    const found = this.#entries.get(keyIdentity(key)) ?? this.#findNumber(key);
    return found?.value;
  }

  /** Numbers of different types are the same key if they are equal. */
  #findNumber(key: CelValue): Entry | undefined {
    if (typeof key === "number" && Number.isInteger(key)) {
      const whole = BigInt(key);
      const asInt = isInt64(whole) ? this.#entries.get(whole) : undefined;
      return asInt ?? this.#entries.get(unsignedIdentity(whole));
    }
    if (typeof key === "bigint" && isUint64(key)) return this.#entries.get(unsignedIdentity(key));
    if (key instanceof Uint && isInt64(key.value)) return this.#entries.get(key.value);
    return undefined;
  }

  override *keys(): Generator<CelValue, void> {
    for (const { key } of this.#entries.values()) yield key;
  }

  set(key: CelValue, value: CelValue): void {
    this.#entries.set(keyIdentity(key), { key, value });
  }

  delete(key: CelValue): void {
    this.#entries.delete(keyIdentity(key));
  }
}

/** First character of uints as identities, which are strings there. */
const mark = "\0";

/**
 * The key's identity in a JavaScript map. Uints have a prefix, and so have strings that begin with
 * its first character: they never collide.
 */
export function keyIdentity(key: CelValue): unknown {
  if (typeof key === "string") return key.startsWith(mark) ? `${mark}s${key}` : key;
  return key instanceof Uint ? unsignedIdentity(key.value) : key;
}

const unsignedIdentity = (value: bigint): string => `${mark}u${value}`;
