import { parseQuantity } from "../../values/quantity.ts";

/** Amounts that are surely canonical: anything from 1 to 999 with a decimal suffix or with a binary one. */
const plain = /^[1-9]\d{0,2}(?:[numkMGTPE]|[KMGTPE]i)?$/;

/** A quantity as Go writes it. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  return plain.test(text) ? text : parseQuantity(text).toString();
}
