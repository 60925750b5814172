import { compareKeys } from "../shape/compare-keys.ts";
import { isIndexKey } from "../shape/key-order.ts";
import { NumberLiteral } from "./json-parser.ts";

/** Layout of a JSON text. */
export interface JsonLayout {
  /** Indented by two spaces. */
  readonly pretty?: boolean;
  /** The value has keys that look like array indexes; they must be sorted with the others. */
  readonly indexKeys?: boolean;
}

/**
 * Characters that Go's encoder escapes in addition to JSON's rules, so that its output is safe in
 * HTML.
 */
const unsafe = /[<>&\u2028\u2029]/;
const unsafeAll = /[<>&\u2028\u2029]/g;

/** Surrogates: Go and JavaScript sort the characters beyond U+FFFF differently. */
const surrogate = /[\ud800-\udfff]/;

/**
 * Writes a value in Go's form as Go's encoder does. Uses JSON.stringify, unless the value has
 * something that it cannot write: integers of 64 bits, keys that look like array indexes,
 * characters that sort differently.
 *
 * Upstream: Go's encoding/json/encode.go.
 */
export function writeJson(value: unknown, layout: JsonLayout = {}): string {
  const { pretty = false, indexKeys = false } = layout;
  const text =
    (indexKeys ? undefined : quickly(value, pretty)) ?? exactly(value, pretty ? "\n" : "");
  return unsafe.test(text) ? text.replace(unsafeAll, escapeUnit) : text;
}

function quickly(value: unknown, pretty: boolean): string | undefined {
  try {
    // Without further arguments JSON.stringify is three times as fast.
    const text = pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value);
    return surrogate.test(text) ? undefined : text;
  } catch (error) {
    // A bigint, which JSON.stringify does not support.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * The same text without JSON.stringify. `newline` is "" in a compact text, and otherwise the start
 * of a line of this level.
 */
function exactly(value: unknown, newline: string): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = newline === "" ? "" : `${newline}  `;
  if (Array.isArray(value))
    return bracket(
      "[]",
      value.map((item) => exactly(item, inner)),
      newline,
    );
  const colon = newline === "" ? ":" : ": ";
  const entries = inGoOrder(Object.entries(value)).flatMap(([key, item]) =>
    item === undefined ? [] : [`${exactly(key, "")}${colon}${exactly(item, inner)}`],
  );
  return bracket("{}", entries, newline);
}

/** Sorts such keys; only maps have them, structs keep their order. */
function inGoOrder(entries: [string, unknown][]): [string, unknown][] {
  const isMap = entries.some(([key]) => isIndexKey(key) || surrogate.test(key));
  return isMap ? entries.sort(([a], [b]) => compareKeys(a, b)) : entries;
}

function bracket(brackets: string, parts: readonly string[], newline: string): string {
  const [open = "", close = ""] = brackets;
  if (parts.length === 0) return brackets;
  if (newline === "") return `${open}${parts.join(",")}${close}`;
  return `${open}${newline}  ${parts.join(`,${newline}  `)}${newline}${close}`;
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
