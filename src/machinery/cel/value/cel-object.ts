import type { CelType } from "../type/cel-type.ts";
import { type CelFault, noSuchOverload } from "./cel-fault.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Comparable } from "./comparable.ts";

/** A value of a type that a library or a provider adds. */
export abstract class CelObject extends Comparable {
  abstract readonly type: CelType;

  /** The result of type(). */
  get typeValue(): CelType {
    return this.type;
  }

  /** Its size for the cost of operations; 1 for types without a size. */
  get size(): number {
    return 1;
  }

  /** Whether it counts as absent for optional.ofNonZeroValue. */
  get isZero(): boolean {
    return false;
  }

  /** Equality with any value; for most types only values of the same type can be equal. */
  override equals(_other: CelValue): boolean | CelFault {
    return noSuchOverload;
  }

  /** The value of a field; undefined for an object without fields. */
  getField(_name: string): CelResult | undefined {
    return undefined;
  }

  /** Whether a field is set; undefined for an object without fields. */
  hasField(_name: string): boolean | CelFault | undefined {
    return undefined;
  }
}
