import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { ArrayList, CelList } from "../value/cel-list.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { equals } from "../value/equality.ts";
import { escapeName } from "./escape-name.ts";
import { elementKey, equalByKey, mergeByKey } from "./keyed-elements.ts";
import type { Converter } from "./schema-value.ts";
import { equalAsSets, unionOf } from "./set-elements.ts";

/** A list with a known schema. */
export class SchemaList extends CelList {
  readonly #items: readonly unknown[];
  readonly #convert: Converter;

  constructor(items: readonly unknown[], convert: Converter) {
    super();
    this.#items = items;
    this.#convert = convert;
  }

  override get length(): number {
    return this.#items.length;
  }

  override get isZero(): boolean {
    return false;
  }

  override get takesOnlyInts(): boolean {
    return true;
  }

  override at(index: number): CelResult {
    return this.#convert(this.#items[index]);
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (other.length !== this.length) return false;
    let index = 0;
    for (const element of this) {
      const theirs = other.at(index++);
      if (element instanceof CelFault) return element;
      const equal = theirs instanceof CelFault ? false : equals(element, theirs);
      if (equal !== true) return equal;
    }
    return true;
  }

  override contains(value: CelValue): boolean | CelFault {
    let fault: CelFault | undefined;
    for (const element of this) {
      const equal = element instanceof CelFault ? element : equals(element, value);
      if (equal === true) return true;
      if (equal instanceof CelFault) fault ??= equal;
    }
    return fault ?? false;
  }

  override concat(other: CelList): CelResult {
    return new ArrayList([...this, ...other]);
  }
}

/** A list that is a set: order is ignored, and concatenation adds only new elements. */
export class SetSchemaList extends SchemaList {
  override equals(other: CelValue): boolean | CelFault {
    return equalAsSets(this, other);
  }

  override concat(other: CelList): CelResult {
    const elements = unionOf(this, other);
    return elements instanceof CelFault ? elements : new SetList(elements);
  }
}

/** The union of sets, which is a set. */
class SetList extends ArrayList {
  override equals(other: CelValue): boolean | CelFault {
    return equalAsSets(this, other);
  }

  override concat(other: CelList): CelResult {
    const elements = unionOf(this, other);
    return elements instanceof CelFault ? elements : new SetList(elements);
  }
}

/**
 * A list of objects with keys: order is ignored, and concatenation replaces elements of the same
 * key.
 */
export class KeyedSchemaList extends SchemaList {
  readonly #keys: readonly string[];

  constructor(items: readonly unknown[], convert: Converter, keys: readonly string[]) {
    super(items, convert);
    this.#keys = keys.map((key) => escapeName(key) ?? key);
  }

  override equals(other: CelValue): boolean | CelFault {
    return equalByKey(this, other, (element) => elementKey(element, this.#keys));
  }

  override concat(other: CelList): CelResult {
    return new KeyedList(mergeByKey(this, other, this.#keys), this.#keys);
  }
}

/** The concatenation of keyed lists, which is keyed. */
class KeyedList extends ArrayList {
  readonly #keys: readonly string[];

  constructor(elements: readonly CelResult[], keys: readonly string[]) {
    super(elements);
    this.#keys = keys;
  }

  override equals(other: CelValue): boolean | CelFault {
    return equalByKey(this, other, (element) => elementKey(element, this.#keys));
  }

  override concat(other: CelList): CelResult {
    return new KeyedList(mergeByKey(this, other, this.#keys), this.#keys);
  }
}
