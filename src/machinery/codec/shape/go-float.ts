/** A float as Go's strconv.FormatFloat(value, 'g', -1, 64) writes it: 0.5, 1.5e+06, 1e-07. */
export function formatFloatG(value: number): string {
  if (value === 0) return "0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
}
