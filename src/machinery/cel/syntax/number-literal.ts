import { isInt64, isUint64, Uint } from "../value/uint.ts";

/** An int; undefined if it does not fit. */
export function parseInteger(sign: string, text: string): bigint | undefined {
  const value = sign === "-" ? -BigInt(text) : BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** A uint, given with its u; undefined if it does not fit. */
export function parseUnsigned(text: string): Uint | undefined {
  const value = BigInt(text.slice(0, -1));
  return isUint64(value) ? new Uint(value) : undefined;
}

/** A double; undefined if it is too large for one. */
export function parseFloating(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
