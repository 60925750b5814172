import { CelFault } from "./cel-fault.ts";
import { EntryMap } from "./cel-map.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { goText } from "./go-text.ts";

/** A mutable map: the accumulator of a comprehension. */
export class GrowingMap extends EntryMap {
  /** Adds an entry, in place. */
  insert(key: CelValue, value: CelValue): CelResult {
    if (this.find(key) !== undefined) {
      return new CelFault(`insert failed: key ${goText(key)} already exists`);
    }
    this.set(key, value);
    return this;
  }
}
