import { formatQuantity, pow10 } from "./quantity-format.ts";

/** The format of a quantity: 12e6, 12Mi or 12M. It is kept from the parsed text. */
export type QuantityFormat = "DecimalExponent" | "BinarySI" | "DecimalSI";

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** Powers of ten by which upstream multiplies without an overflow check. */
const wrapping: ReadonlySet<number> = new Set([1, 2, 3, 6, 9]);

/** The smallest unit as a power of ten; finer amounts are rounded up. */
const nano = -9;

/**
 * Limits of a quantity's text (characters) and of its exponent. Upstream has no limits, and parses
 * hostile texts slowly; no real quantity is near them.
 */
const maxTextLength = 1024;
const maxExponent = 4096;

/** An invalid quantity. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numericWrong = "unable to parse numeric part of quantity";
const suffixWrong = "unable to parse quantity's suffix";

interface QuantityOptions {
  /**
   * Invariant: a quantity that is not wide fits upstream's int64 form; only asInt64() depends on
   * it.
   */
  readonly wide?: boolean;
  /** The original text, if it is canonical. */
  readonly text?: string | undefined;
}

/**
 * An exact amount, mantissa × 10^scale, with its format. Immutable.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go.
 */
export class Quantity {
  readonly mantissa: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  readonly #wide: boolean;
  #text: string | undefined;

  constructor(
    mantissa: bigint,
    scale: number,
    format: QuantityFormat,
    options: QuantityOptions = {},
  ) {
    this.mantissa = mantissa;
    this.scale = scale;
    this.format = format;
    this.#wide = options.wide ?? !fitsInt64(mantissa);
    this.#text = options.text;
  }

  /** The canonical form, as on the wire. */
  toString(): string {
    this.#text ??= formatQuantity(this);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  get isZero(): boolean {
    return this.mantissa === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return Number(this.mantissa > 0n) - Number(this.mantissa < 0n);
  }

  /** Negative, zero or positive, as in Array.sort. */
  compare(other: Quantity): number {
    const [a, b] = align(this, other);
    return Number(a > b) - Number(a < b);
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum, in this format, or in the other's if this is zero. */
  add(other: Quantity): Quantity {
    if (!this.#wide && this.mantissa === 0n && !other.#wide) return other.#unwritten();
    const format = this.isZero ? other.format : this.format;
    const [a, b, scale] = align(this, other);
    return new Quantity(a + b, scale, format, {
      wide: this.#wide || other.#wide || !fitsInt64(a + b),
    });
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  mul(factor: number | bigint): Quantity {
    const product = this.mantissa * BigInt(factor);
    return new Quantity(product, this.scale, this.format, {
      wide: this.#wide || !fitsInt64(product),
    });
  }

  neg(): Quantity {
    return new Quantity(-this.mantissa, this.scale, this.format, { wide: this.#wide });
  }

  /** Rounded away from zero to a multiple of 10^scale. */
  roundUp(scale: number): Quantity {
    if (this.scale >= scale) return this;
    const mantissa = divideUp(this.mantissa, pow10(scale - this.scale));
    return new Quantity(mantissa, scale, this.format, { wide: this.#wide });
  }

  /**
   * The integer that upstream's AsInt64 returns; undefined for fractions, wide values and overflow.
   */
  asInt64(): bigint | undefined {
    if (this.#wide || this.scale < 0) return undefined;
    const value = this.mantissa * pow10(this.scale);
    return fitsInt64(value) ? value : undefined;
  }

  /**
   * The amount in units of 10^scale, rounded away from zero. As upstream, an overflow of int64
   * gives the low 64 bits, or 0 after some shifts.
   */
  scaledValue(scale: number): bigint {
    const shift = this.scale - scale;
    if (shift < 0) return BigInt.asIntN(64, divideUp(this.mantissa, pow10(-shift)));
    const value = this.mantissa * pow10(shift);
    return this.#wide || fitsInt64(value) || wrapping.has(shift) ? BigInt.asIntN(64, value) : 0n;
  }

  /** The amount in units, rounded away from zero; exact up to 2^53. */
  value(): number {
    return Number(this.scaledValue(0));
  }

  /** The amount in thousandths, rounded away from zero; exact up to 2^53. */
  milliValue(): number {
    return Number(this.scaledValue(-3));
  }

  /** The nearest floating-point number. */
  toNumber(): number {
    return Number(`${this.mantissa}e${this.scale}`);
  }

  #unwritten(): Quantity {
    return new Quantity(this.mantissa, this.scale, this.format, { wide: this.#wide });
  }
}

/** Zero, in the format of most resources. */
export const zeroQuantity: Quantity = new Quantity(0n, 0, "DecimalSI", { text: "0" });

/** A quantity of `value` units. */
export function quantityOf(value: number | bigint, format: QuantityFormat = "DecimalSI"): Quantity {
  return new Quantity(BigInt(value), 0, format);
}

/** A quantity of `value` thousandths. */
export function milliQuantity(
  value: number | bigint,
  format: QuantityFormat = "DecimalSI",
): Quantity {
  return new Quantity(BigInt(value), -3, format);
}

/** Parses a quantity. Throws QuantityError with upstream's message. */
export function parseQuantity(text: string): Quantity {
  if (text === "0") return zeroQuantity;
  if (text === "") throw new QuantityError(formatWrong);
  const { negative, whole, fraction, suffix } = split(text);
  if (text.length > maxTextLength) throw new QuantityError(numericWrong);
  const unit = units.get(suffix) ?? decimalExponent(suffix);
  const digits = whole + fraction;
  const sign = negative ? -1n : 1n;

  if (unit.base === 10) {
    const scale = unit.exponent - fraction.length;
    if (digits.length > 18 || scale < nano) return wideQuantity(BigInt(digits) * sign, scale, unit);
    const canonical = scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
    return new Quantity(BigInt(digits) * sign, scale, unit.format, {
      wide: false,
      text: canonical ? text : undefined,
    });
  }

  const mantissa = (BigInt(digits) * sign) << BigInt(unit.exponent);
  const room = 14 - whole.length - (unit.exponent * 3) / 10;
  if (fraction !== "" || room < 0) return wideQuantity(mantissa, -fraction.length, unit);
  const canonical = (BigInt(digits) & 7n) !== 0n;
  return new Quantity(mantissa, 0, unit.format, {
    wide: false,
    text: canonical ? text : undefined,
  });
}

/** Whether a text is a quantity. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

interface Unit {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const units: ReadonlyMap<string, Unit> = new Map([
  ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((suffix, index): [string, Unit] => [
    suffix,
    { base: 10, exponent: 3 * index + nano, format: "DecimalSI" },
  ]),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((suffix, index): [string, Unit] => [
    suffix,
    { base: 2, exponent: 10 * (index + 1), format: "BinarySI" },
  ]),
]);

function decimalExponent(suffix: string): Unit {
  if (!/^[eE][+-]?\d+$/.test(suffix)) throw new QuantityError(suffixWrong);
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > maxExponent) throw new QuantityError(suffixWrong);
  return { base: 10, exponent, format: "DecimalExponent" };
}

/** Amounts beyond upstream's int64 form: rounded up to nano, and capped in binary formats. */
function wideQuantity(amount: bigint, scale: number, unit: Unit): Quantity {
  if (amount === 0n) return new Quantity(0n, scale, unit.format, { wide: true });
  let mantissa =
    scale > nano ? amount * pow10(scale - nano) : divideUp(amount, pow10(nano - scale));
  let format = unit.format;
  if (format === "BinarySI") {
    const one = pow10(-nano);
    const limit = maxInt64 * one;
    if (mantissa > limit) mantissa = limit;
    if (mantissa < -limit) mantissa = -limit;
    if (mantissa < one && mantissa > -one) format = "DecimalSI";
  }
  return new Quantity(mantissa, nano, format, { wide: true });
}

const suffixLetters = "eEinumkKMGTP";

/** Splits a text; `whole` has no leading zeros but is never empty. */
function split(text: string) {
  const start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  const wholeEnd = skipDigits(text, start);
  let end = wholeEnd;
  if (text[end] === ".") end = skipDigits(text, end + 1);
  const fraction = text.slice(wholeEnd + 1, end);
  const suffixStart = end;
  while (end < text.length && suffixLetters.includes(text.charAt(end))) end++;
  if (text[end] === "-" || text[end] === "+") end++;
  end = skipDigits(text, end);
  if (end < text.length) throw new QuantityError(formatWrong);
  return {
    negative: text.startsWith("-"),
    whole: text.slice(start, wholeEnd).replace(/^0+/, "") || "0",
    fraction,
    suffix: text.slice(suffixStart),
  };
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at;
}

/** Both mantissas at the smaller of the two scales, and that scale. */
function align(a: Quantity, b: Quantity): [bigint, bigint, number] {
  if (a.scale === b.scale) return [a.mantissa, b.mantissa, a.scale];
  if (a.scale < b.scale) return [a.mantissa, b.mantissa * pow10(b.scale - a.scale), a.scale];
  return [a.mantissa * pow10(a.scale - b.scale), b.mantissa, b.scale];
}

function fitsInt64(value: bigint): boolean {
  return value <= maxInt64 && value >= minInt64;
}

/** Division that rounds away from zero. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value > 0n ? quotient + 1n : quotient - 1n;
}
