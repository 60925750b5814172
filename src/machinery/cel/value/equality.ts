import { CelType } from "../type/cel-type.ts";
import type { CelFault } from "./cel-fault.ts";
import type { CelValue } from "./cel-value.ts";
import { Comparable } from "./comparable.ts";
import { Duration } from "./duration.ts";
import { compareNumbers, isNumeric } from "./numeric.ts";
import { Optional } from "./optional.ts";
import { Timestamp } from "./timestamp.ts";

/**
 * Whether two values of any types are equal. Numbers of different types are compared by value.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/util.go and the Equal methods of its
 * types.
 */
export function equals(a: CelValue, b: CelValue): boolean | CelFault {
  if (typeof a === typeof b && typeof a !== "object") return a === b;
  if (a === null || b === null) return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof Comparable) return a.equals(b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  return false;
}

function equalOptionals(a: Optional, b: Optional): boolean | CelFault {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}
