import type { CelValue } from "./cel-value.ts";
import { Uint } from "./uint.ts";

/** A value of one of the three number types. */
type Numeric = bigint | number | Uint;

export function isNumeric(value: CelValue): value is Numeric {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

/**
 * Negative, zero or positive; NaN if one of them is NaN. An integer is compared to a double as a
 * double.
 *
 * Upstream: vendor/github.com/google/cel-go/common/types/compare.go.
 */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (typeof left === "bigint" && typeof right === "bigint") {
    return left < right ? -1 : left > right ? 1 : 0;
  }
  const x = Number(left);
  const y = Number(right);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  return x < y ? -1 : x > y ? 1 : 0;
}
