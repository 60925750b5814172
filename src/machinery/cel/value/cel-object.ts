import type { CelType } from "../type/cel-type.ts";
import { type CelFault, noSuchOverload } from "./cel-fault.ts";
import type { CelResult, CelValue } from "./cel-value.ts";
import { Comparable } from "./comparable.ts";

/** A value of a type that a library or a provider adds. */
export abstract class CelObject extends Comparable {
  abstract readonly type: CelType;

  /** What type() gives for it. */
  get typeValue(): CelType {
    return this.type;
  }

  /** Its size for the cost of operations on it; 1 for what has none. */
  get size(): number {
    return 1;
  }

  /** Whether it counts as absent for optional.ofNonZeroValue. */
  get isZero(): boolean {
    return false;
  }

  /** Equality with any value, which most types have only among their own. */
  override equals(_other: CelValue): boolean | CelFault {
    return noSuchOverload;
  }

  /** The value of a field; undefined for an object that has no fields at all. */
  getField(_name: string): CelResult | undefined {
    return undefined;
  }

  /** Whether a field is set; undefined for an object that has no fields at all. */
  hasField(_name: string): boolean | CelFault | undefined {
    return undefined;
  }
}
