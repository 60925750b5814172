import { CelFault } from "./cel-fault.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Comparable } from "./comparable.ts";
import { spendEffort } from "./effort.ts";
import { equals } from "./equality.ts";

/**
 * A list. Its elements may be created on access, and access may fail.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/list.go.
 */
export abstract class CelList extends Comparable {
  abstract readonly length: number;

  /** The element at an index. Invariant: 0 <= index < length. */
  abstract at(index: number): CelResult;

  /** Whether it counts as absent for optional.ofNonZeroValue. */
  get isZero(): boolean {
    return this.length === 0;
  }

  /** Whether indexes of other types than int are rejected. */
  get takesOnlyInts(): boolean {
    return false;
  }

  /** All elements, in order. */
  *[Symbol.iterator](): Generator<CelResult, void> {
    spendEffort(this.length);
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /** Elements count as equal unless they are known to differ. */
  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CelList) || other.length !== this.length) return false;
    let index = 0;
    for (const element of this) {
      const theirs = other.at(index++);
      if (element instanceof CelFault || theirs instanceof CelFault) continue;
      if (equals(element, theirs) === false) return false;
    }
    return true;
  }

  contains(value: CelValue): boolean | CelFault {
    for (const element of this) {
      if (!(element instanceof CelFault) && equals(value, element) === true) return true;
    }
    return false;
  }

  /** The concatenation of this list and another. */
  concat(other: CelList): CelResult {
    if (this.length === 0) return other;
    if (other.length === 0) return this;
    return new ConcatList(this, other);
  }
}

/** A list of existing elements. */
export class ArrayList extends CelList {
  readonly #elements: readonly CelResult[];

  constructor(elements: readonly CelResult[]) {
    super();
    this.#elements = elements;
  }

  override get length(): number {
    return this.#elements.length;
  }

  override at(index: number): CelResult {
    const element = this.#elements[index];
    return element === undefined ? outOfRange(index, this.length) : element;
  }
}

/** A mutable list: the accumulator of a comprehension. Concatenation changes it. */
export class GrowingList extends CelList {
  readonly #elements: CelValue[] = [];

  override get length(): number {
    return this.#elements.length;
  }

  override at(index: number): CelResult {
    const element = this.#elements[index];
    return element === undefined ? outOfRange(index, this.length) : element;
  }

  override concat(other: CelList): CelResult {
    for (const element of other) {
      if (element instanceof CelFault) return element;
      this.#elements.push(element);
    }
    return this;
  }

  /** The immutable list; this one must not be used afterwards. */
  finish(): ArrayList {
    return new ArrayList(this.#elements);
  }
}

/** The concatenation of two lists, without copying. */
class ConcatList extends CelList {
  readonly #first: CelList;
  readonly #second: CelList;
  override readonly length: number;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.length = first.length + second.length;
  }

  override at(index: number): CelResult {
    let list: CelList = this;
    let position = index;
    while (list instanceof ConcatList) {
      const { length } = list.#first;
      const inFirst: boolean = position < length;
      if (!inFirst) position -= length;
      list = inFirst ? list.#first : list.#second;
    }
    return list.at(position);
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CelList) || other.length !== this.length) return false;
    let fault: CelFault | undefined;
    let index = 0;
    for (const element of this) {
      const theirs = other.at(index++);
      const equal =
        element instanceof CelFault
          ? element
          : theirs instanceof CelFault
            ? theirs
            : equals(element, theirs);
      if (equal === false) return false;
      if (equal instanceof CelFault) fault ??= equal;
    }
    return fault ?? true;
  }
}

/** The fault for an index out of range. */
export function outOfRange(index: number, length: number): CelFault {
  return new CelFault(`index '${index}' out of range in list size '${length}'`);
}
