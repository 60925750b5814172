import type { Quantity } from "./quantity.ts";

const decimalSuffixes: ReadonlyMap<number, string> = new Map(
  ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((suffix, index) => [3 * index - 9, suffix]),
);
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const powersOfTen = Array.from({ length: 32 }, (_, exponent) => 10n ** BigInt(exponent));

/** 10^exponent; the exponent is not negative. */
export const pow10 = (exponent: number): bigint => powersOfTen[exponent] ?? 10n ** BigInt(exponent);

/**
 * The canonical form: no fraction, no loss, and the largest exponent. As upstream, an amount over
 * the largest suffix loses its suffix.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go (CanonicalizeBytes),
 * suffix.go.
 */
export function formatQuantity({ mantissa, scale, format }: Quantity): string {
  if (mantissa === 0n) return "0";
  if (format === "BinarySI") {
    const whole = wholeAmount(mantissa, scale);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return formatBinary(whole);
  }
  const [amount, exponent] = factorOut(mantissa, 10n);
  const power = scale + exponent;
  const excess = ((power % 3) + 3) % 3;
  const digits = (amount * pow10(excess)).toString();
  if (format === "DecimalExponent") {
    return power === excess ? digits : `${digits}e${power - excess}`;
  }
  return digits + (decimalSuffixes.get(power - excess) ?? "");
}

function formatBinary(whole: bigint): string {
  const [amount, exponent] = factorOut(whole, 1024n);
  return amount.toString() + (binarySuffixes[exponent] ?? "");
}

/** The amount as an integer; undefined if it has a fraction. */
function wholeAmount(mantissa: bigint, scale: number): bigint | undefined {
  if (scale >= 0) return mantissa * pow10(scale);
  const divisor = pow10(-scale);
  return mantissa % divisor === 0n ? mantissa / divisor : undefined;
}

/**
 * Divides by the factor while the result is exact; returns the quotient and the number of
 * divisions.
 */
function factorOut(value: bigint, factor: bigint): [bigint, number] {
  let rest = value;
  let times = 0;
  while (rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [rest, times];
}
