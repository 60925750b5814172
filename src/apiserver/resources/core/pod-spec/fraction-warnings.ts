import type { ResourceList } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** Amounts that are whole, found without parsing. */
const plainWhole = /^[0-9]+(?:Ki|[kMGTPE]i?)?$/;

/** Resources in bytes must be whole numbers. */
export function fractionWarnings(
  list: ResourceList | undefined,
  path: FieldPath,
  names: readonly string[] = ["memory", "ephemeral-storage"],
): string[] {
  if (list === undefined) return [];
  return names.flatMap((name) => {
    const amount = list[name];
    if (amount === undefined || isWhole(amount)) return [];
    const value = goQuote(amount);
    return [`${path.key(name)}: fractional byte value ${value} is invalid, must be an integer`];
  });
}

/** Whether an amount is a whole number. */
export const isWhole = (amount: string): boolean =>
  plainWhole.test(amount) || parseQuantity(amount).scaledValue(-3) % 1000n === 0n;
