/** How Go prints values in messages that reach the wire: fmt's %v and encoding/json (%q and %g are in std). */
import { formatShortest } from "#/std/go/float.ts";

/**
 * A number as fmt's %v writes it. As in upstream's JSON decoder, an integer in the range of int64
 * is a Go integer; any other number is a float64.
 */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  return formatShortest(value);
}

const htmlEscapes = /[<>&\u2028\u2029]/g;

/** JSON.rawJSON, which is missing in TypeScript's library. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A value as encoding/json writes it, optionally indented: like JSON.stringify, with <, > and &
 * escaped for HTML.
 */
export function goJson(value: unknown, indent = ""): string {
  const text = JSON.stringify(value, writeBigint, indent) ?? "null";
  return text.replace(
    htmlEscapes,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const writeBigint = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? rawJSON(value.toString()) : value;
