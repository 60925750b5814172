import { isInt64, isUint64, Uint } from "../value/uint.ts";

/** An int; undefined if it is out of range. */
export function parseInteger(sign: string, text: string): bigint | undefined {
  const value = sign === "-" ? -BigInt(text) : BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** A uint, with its suffix u; undefined if it is out of range. */
export function parseUnsigned(text: string): Uint | undefined {
  const value = BigInt(text.slice(0, -1));
  return isUint64(value) ? new Uint(value) : undefined;
}

/** A double; undefined if it is out of range. */
export function parseFloating(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
