import { compareText } from "#/std/text/compare-text.ts";
import { CelFault, noSuchOverload } from "./cel-fault.ts";
import type { CelValue } from "./cel-value.ts";
import { Duration } from "./duration.ts";
import { compareNumbers, isNumeric } from "./numeric.ts";
import { Timestamp } from "./timestamp.ts";

const unordered = new CelFault("NaN values cannot be ordered");

/** Whether the type of a value is ordered. */
export function isOrdered(value: CelValue): boolean {
  return (
    isNumeric(value) ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof Uint8Array
  );
}

/** Negative, zero or positive for two values of an ordered type. */
export function compare(a: CelValue, b: CelValue): number | CelFault {
  if (isNumeric(a)) {
    if (typeof a === "number" && Number.isNaN(a)) return unordered;
    if (!isNumeric(b)) return noSuchOverload;
    const order = compareNumbers(a, b);
    return Number.isNaN(order) ? unordered : order;
  }
  if (typeof a === "string") return typeof b === "string" ? compareText(a, b) : noSuchOverload;
  if (typeof a === "boolean")
    return typeof b === "boolean" ? Number(a) - Number(b) : noSuchOverload;
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array ? Buffer.compare(a, b) : noSuchOverload;
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos);
  return noSuchOverload;
}
