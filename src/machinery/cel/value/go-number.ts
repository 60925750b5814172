const decimal =
  /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const hexadecimal = /^([+-]?)0[xX]_?([\da-fA-F_]*)(?:\.([\da-fA-F_]*))?[pP]([+-]?\d+)$/;

/** Parses a double as Go's strconv.ParseFloat does; undefined for invalid or out-of-range texts. */
export function parseFloatText(text: string): number | undefined {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  const value = decimal.test(text) ? Number(text.replaceAll("_", "")) : parseHexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function parseHexadecimal(text: string): number | undefined {
  const match = hexadecimal.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent] = match;
  const digits = (whole + fraction).replaceAll("_", "");
  if (digits === "") return undefined;
  const places = fraction.replaceAll("_", "").length * 4;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - places);
  return sign === "-" ? -value : value;
}
