const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** Limit of the text (characters): an int64 has 19 digits, and leading zeros are allowed. */
const maxDigits = 1024;

/**
 * Reads a decimal int64 as Go's strconv.ParseInt does, with an optional sign; undefined for other
 * texts.
 */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > maxDigits || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return value >= minInt64 && value <= maxInt64 ? value : undefined;
}
