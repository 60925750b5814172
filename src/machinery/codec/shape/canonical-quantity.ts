import { parseQuantity } from "../../values/quantity.ts";

/** Quantities that are known to be canonical: 1 to 999 with a decimal or binary suffix. */
const plain = /^[1-9]\d{0,2}(?:[numkMGTPE]|[KMGTPE]i)?$/;

/** A quantity as Go writes it. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  return plain.test(text) ? text : parseQuantity(text).toString();
}
