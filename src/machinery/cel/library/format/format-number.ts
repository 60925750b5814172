import { formatExponent } from "#/std/go/float.ts";
import { CostLimitExceeded } from "../../value/cel-fault.ts";

/** Limit of a double's decimal places (digits); further ones are zero. */
const maxDigits = 1074;

/** Limit of the text's length by precision (characters); upstream is limited only by memory. */
const maxWidth = 1_000_000;

/** A double with `precision` decimal places, and commas between thousands. */
export function formatDouble(value: number, precision: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const [whole = "", fraction] = exactDecimal(value, bounded(precision)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/**
 * A double in scientific notation with six decimal places; upstream uses the precision as a width.
 */
export function formatScientific(value: number, precision: number): string {
  const width = bounded(precision);
  const special = formatSpecial(value);
  if (special !== undefined) return special.padStart(width);
  const [digits = "", exponent = "0"] = value.toExponential(6).split("e");
  const power = formatExponent(Number(exponent)).replace("+", "");
  return `${digits}×10${superscript(power)}`.padStart(width);
}

function bounded(precision: number): number {
  if (precision > maxWidth) throw new CostLimitExceeded();
  return precision;
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  return value === Number.NEGATIVE_INFINITY ? "-∞" : undefined;
}

/** Exact decimal digits, with ties rounded to even. */
export function exactDecimal(value: number, precision: number): string {
  const places = Math.min(precision, maxDigits);
  const { mantissa, exponent } = decompose(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(places);
  const rounded =
    exponent >= 0 ? scaled << BigInt(exponent) : shiftRounding(scaled, BigInt(-exponent));
  const digits = String(rounded).padStart(places + 1, "0");
  const split = digits.length - places;
  const fraction = digits.slice(split).padEnd(precision, "0");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return `${sign}${digits.slice(0, split)}${precision === 0 ? "" : `.${fraction}`}`;
}

function shiftRounding(value: bigint, bits: bigint): bigint {
  const quotient = value >> bits;
  const rest = value - (quotient << bits);
  const half = 1n << (bits - 1n);
  return rest > half || (rest === half && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

/** A double as an integer times a power of two. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

const superscripts = new Map(Array.from("-0123456789", (plain, i) => [plain, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"[i]]));

const superscript = (text: string): string =>
  Array.from(text, (character) => superscripts.get(character)).join("");
