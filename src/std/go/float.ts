/** A double as Go's %g prints it: the fewest digits, with an exponent below -4 and from 6 on. */
export function formatShortest(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return formatFixed(value);
  return `${digits}e${formatExponent(exponent)}`;
}

/** A double with the fewest digits and no exponent, as strconv.FormatFloat(value, 'f', -1, 64) does. */
export function formatFixed(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const negative = value < 0 || Object.is(value, -0);
  const [digits = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  const all = digits.replace(".", "");
  const text =
    exponent < 0
      ? `0.${"0".repeat(-exponent - 1)}${all}`
      : all.length <= exponent + 1
        ? all.padEnd(exponent + 1, "0")
        : `${all.slice(0, exponent + 1)}.${all.slice(exponent + 1)}`;
  return negative ? `-${text}` : text;
}

function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : undefined;
}

/** An exponent of at least two digits, with its sign. */
export function formatExponent(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
