import type { CelFault } from "./cel-fault.ts";
import type { CelValue } from "./cel-value.ts";

/** A value with its own equality: lists, maps and objects. */
export abstract class Comparable {
  /** Equality with any value. */
  abstract equals(other: CelValue): boolean | CelFault;
}
