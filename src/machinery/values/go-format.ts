/** How Go prints values in messages that reach the wire: fmt's %v and encoding/json (%q and %g are in std). */
import { formatShortest } from "#/std/go/float.ts";

/**
 * A number as fmt's %v writes it. A whole number in the range of int64 is taken for a Go integer, which is what
 * upstream's JSON decoder makes of it; any other is a float64.
 */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  return formatShortest(value);
}

const htmlEscapes = /[<>&\u2028\u2029]/g;

/** JSON.rawJSON, which TypeScript's library does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** A value as encoding/json writes it, maybe indented: like JSON.stringify, with <, > and & escaped for HTML. */
export function goJson(value: unknown, indent = ""): string {
  const text = JSON.stringify(value, writeBigint, indent) ?? "null";
  return text.replace(
    htmlEscapes,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const writeBigint = (_key: string, value: unknown): unknown =>
  typeof value === "bigint" ? rawJSON(value.toString()) : value;
