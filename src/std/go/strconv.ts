/** Upstream: Go's strconv, whose error texts users see in flags and API messages. */
import { goQuote } from "./go-quote.ts";

const trueWords = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const falseWords = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** A boolean as Go reads one. Throws SyntaxError. */
export function parseGoBool(text: string): boolean {
  if (trueWords.has(text)) return true;
  if (falseWords.has(text)) return false;
  throw failure("ParseBool", text, "invalid syntax");
}

/** A signed integer of this number of bits, with Go's prefixes (0x, 0o, 0b, 0) and underscores. */
export function parseGoInt(text: string, bits: number): number {
  const magnitude = parseDigits(text.replace(/^[+-]/, ""));
  if (magnitude === undefined) throw failure("ParseInt", text, "invalid syntax");
  const value = text.startsWith("-") ? -magnitude : magnitude;
  if (BigInt.asIntN(bits, value) !== value) throw failure("ParseInt", text, "value out of range");
  return Number(value);
}

/** An unsigned integer of this number of bits, likewise. */
export function parseGoUint(text: string, bits: number): number {
  const value = parseDigits(text);
  if (value === undefined) throw failure("ParseUint", text, "invalid syntax");
  if (BigInt.asUintN(bits, value) !== value) throw failure("ParseUint", text, "value out of range");
  return Number(value);
}

/** A floating-point number. */
export function parseGoFloat(text: string): number {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    throw failure("ParseFloat", text, "invalid syntax");
  }
  const value = Number(text);
  if (!Number.isFinite(value)) throw failure("ParseFloat", text, "value out of range");
  return value;
}

/** Digits in the base of their prefix; undefined if one is invalid. */
function parseDigits(text: string): bigint | undefined {
  const match = /^(0[xXbB]|0[oO]?)?(.*)$/.exec(text);
  const prefix = match?.[1]?.toLowerCase() ?? "";
  const rest = match?.[2] ?? "";
  if (prefix === "0" && rest === "") return 0n;
  // Underscores are allowed between digits, and between the prefix and the first digit.
  if (!/^_?[0-9a-f]+(_[0-9a-f]+)*$/i.test(rest) || (prefix === "" && rest.startsWith("_"))) {
    return undefined;
  }
  const digits = rest.replaceAll("_", "");
  if (prefix === "0x") return BigInt(`0x${digits}`);
  if (prefix === "0b") return /^[01]+$/.test(digits) ? BigInt(`0b${digits}`) : undefined;
  if (prefix === "") return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  return /^[0-7]+$/.test(digits) ? BigInt(`0o${digits}`) : undefined;
}

function failure(caller: string, text: string, reason: string): SyntaxError {
  return new SyntaxError(`strconv.${caller}: parsing ${goQuote(text)}: ${reason}`);
}
