import { goQuote } from "#/std/go/go-quote.ts";
import { parseInt64 } from "./int64.ts";

/**
 * A number, or a string such as a percentage or a port's name.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/intstr/intstr.go.
 */
export type IntOrString = number | string;

/** The string is not a percentage; the message is upstream's. */
class IntOrStringError extends Error {
  override readonly name = "IntOrStringError";
}

/** A number if the text is a 32-bit integer, else the text: the syntax of flags. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseInt64(text);
  return value !== undefined && BigInt.asIntN(32, value) === value ? Number(value) : text;
}

/** The number, or the number in the string; 0 for any other string. */
export function intValue(value: IntOrString): number {
  return typeof value === "number" ? value : Number(parseInt64(value) ?? 0);
}

/**
 * A count: the number itself, or a percentage of a total, rounded. Throws IntOrStringError for
 * strings that are not a percentage.
 */
export function scaledValue(
  value: IntOrString,
  { total, roundUp }: { readonly total: number; readonly roundUp: boolean },
): number {
  if (typeof value === "number") return value;
  const share = (percentOf(value) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

function percentOf(text: string): number {
  if (!text.endsWith("%")) {
    throw invalid("invalid type: string is not a percentage");
  }
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (percent !== undefined) return Number(percent);
  const reason = /^[+-]?[0-9]+$/.test(digits) ? "value out of range" : "invalid syntax";
  const cause = `strconv.Atoi: parsing ${goQuote(digits)}: ${reason}`;
  throw invalid(`invalid value ${goQuote(text)}: ${cause}`);
}

function invalid(detail: string): IntOrStringError {
  return new IntOrStringError(`invalid value for IntOrString: ${detail}`);
}
