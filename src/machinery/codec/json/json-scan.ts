/** Facts about a JSON text, found by scanning its bytes before it is parsed. */
interface JsonFacts {
  /** Number of object keys in the text, including duplicates. */
  readonly keys: number;
  /** Number of objects and arrays that are not values of keys: items of arrays, and the whole. */
  readonly elements: number;
  /** Number of commas: members of objects and items of arrays are at most as many, and one for each bracket. */
  readonly commas: number;
  /** The deepest nesting of objects and arrays. */
  readonly depth: number;
  /**
   * The text has something that JSON.parse does not read as Go does: a number that is not a safe
   * integer, or an escaped surrogate.
   */
  readonly subtle: boolean;
}

const space = 0x20;
const quote = 0x22;
const minus = 0x2d;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

/** Limit of digits below which every integer is a safe one (count). */
const safeDigits = 15;

/** Scans the bytes once; the result is correct only if the text is valid JSON. */
export function scanJson(bytes: Uint8Array): JsonFacts {
  const { length } = bytes;
  let keys = 0;
  let elements = 0;
  let commas = 0;
  let depth = 0;
  let deepest = 0;
  let subtle = false;
  let pos = 0;
  while (pos < length) {
    const byte = bytes[pos++] as number;
    if (byte === quote) {
      while (pos < length) {
        const inner = bytes[pos++] as number;
        if (inner === quote) break;
        if (inner === backslash) {
          if (isSurrogateEscape(bytes, pos)) subtle = true;
          pos++;
        }
      }
    } else if (byte === colon) keys++;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth;
      let before = pos - 2;
      while (before >= 0 && (bytes[before] as number) <= space) before--;
      if (bytes[before] !== colon) elements++;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte >= minus && byte <= 0x39) {
      const start = pos;
      while (pos < length && isDigit(bytes[pos] as number)) pos++;
      const next = bytes[pos];
      if (pos - start >= safeDigits || next === 0x2e || next === 0x45 || next === 0x65) {
        subtle = true;
      }
    } else if (byte === comma) commas++;
  }
  return { keys, elements, commas, depth: deepest, subtle };
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether `\uD800` to `\uDFFF` is at this position, after its backslash. */
function isSurrogateEscape(bytes: Uint8Array, pos: number): boolean {
  if (bytes[pos] !== 0x75) return false;
  const first = bytes[pos + 1];
  return (first === 0x64 || first === 0x44) && (bytes[pos + 2] ?? 0) >= 0x38;
}

/**
 * The end of the object that starts at a position of a valid JSON text: the position after its last
 * brace.
 */
export function objectEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let pos = start;
  while (pos < bytes.length) {
    const byte = bytes[pos++];
    if (byte === quote) pos = stringEnd(bytes, pos);
    else if (byte === 0x7b) depth++;
    else if (byte === 0x7d && --depth === 0) break;
  }
  return pos;
}

/** The position after the closing quote of the string around this position. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let pos = start;
  for (;;) {
    const byte = bytes[pos++];
    if (byte === quote || byte === undefined) return pos;
    if (byte === backslash) pos++;
  }
}

/**
 * The start and end of a member's value in a JSON text that is an object; undefined if the name is
 * missing or duplicate. The result is correct only if the text is valid JSON.
 */
export function memberPlace(
  bytes: Uint8Array,
  name: string,
): { readonly start: number; readonly end: number } | undefined {
  let depth = 0;
  let key = 0;
  let start = -1;
  let end = -1;
  for (let pos = 0; pos < bytes.length; ) {
    const byte = bytes[pos++] as number;
    if (byte === quote) {
      if (depth === 1) key = pos;
      pos = stringEnd(bytes, pos);
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (--depth === 0 && start >= 0 && end < 0) end = pos - 1;
    } else if (depth !== 1) continue;
    else if (byte === comma) {
      if (start >= 0 && end < 0) end = pos - 1;
    } else if (byte === colon && isKey(bytes, key, name)) {
      if (start >= 0) return undefined;
      start = pos;
    }
  }
  return start >= 0 && end >= 0 ? { start, end } : undefined;
}

/** Whether this key, between quotes and without escapes, is at a position. */
function isKey(bytes: Uint8Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (bytes[start + index] !== name.charCodeAt(index)) return false;
  }
  return bytes[start + name.length] === quote;
}
