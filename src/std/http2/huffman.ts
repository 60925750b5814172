/**
 * The Huffman code of header strings (RFC 7541, appendix B). It is canonical, so the code lengths
 * define it: shorter codes are first, and those of one length are in the order of their symbols.
 */
const lengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5,
  6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6,
  7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23,
  23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22,
  22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22,
  23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27,
  27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25,
  24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
/** The last symbol never occurs in a string; its code, all ones, pads the last byte. */
const endOfString = 256;
const shortest = 5;
const longest = 30;
/** Codes up to this length (bits), nearly all in practice, are found by one lookup. */
const quickBits = 9;

interface Code {
  readonly symbols: Uint16Array;
  /** By length: the first code, the number of codes, and the offset of their symbols. */
  readonly first: Uint32Array;
  readonly count: Uint16Array;
  readonly start: Uint16Array;
  /** By the next bits: symbol and length of their code; 0 if it is longer. */
  readonly quick: Uint16Array;
}

const code = buildCode();

function buildCode(): Code {
  const order = lengths.map((_, symbol) => symbol);
  order.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const first = new Uint32Array(longest + 1);
  const count = new Uint16Array(longest + 1);
  const start = new Uint16Array(longest + 1);
  for (const length of lengths) count[length] = (count[length] ?? 0) + 1;
  const quick = new Uint16Array(1 << quickBits);
  let next = 0;
  let place = 0;
  for (let length = shortest; length <= longest; length++) {
    next *= 2;
    first[length] = next;
    start[length] = place;
    const spare = quickBits - length;
    for (let index = 0; index < (count[length] ?? 0) && spare >= 0; index++) {
      const entry = ((order[place + index] ?? 0) << 4) | length;
      quick.fill(entry, (next + index) << spare, (next + index + 1) << spare);
    }
    next += count[length] ?? 0;
    place += count[length] ?? 0;
  }
  return { symbols: Uint16Array.from(order), first, count, start, quick };
}

/**
 * Decodes a string into `out` and returns its length; -1 if it is invalid. `out` holds twice the
 * input.
 */
export function unpackHuffman(
  input: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): number {
  let bits = 0;
  let held = 0;
  let size = 0;
  let at = from;
  for (;;) {
    while (held < quickBits && at < to) {
      bits = ((bits << 8) | (input[at++] ?? 0)) & 0x1ffff;
      held += 8;
    }
    if (held < shortest) break;
    const window = held >= quickBits ? bits >>> (held - quickBits) : bits << (quickBits - held);
    const entry = code.quick[window & ((1 << quickBits) - 1)] ?? 0;
    const length = entry & 15;
    if (length > 0 && length <= held) {
      out[size++] = entry >>> 4;
      held -= length;
      continue;
    }
    if (length > 0) break;
    const long = unpackLong(input, at, to, bits & ((1 << held) - 1), held);
    if (!long) break;
    if (long.symbol === endOfString) return -1;
    out[size++] = long.symbol;
    ({ at, bits, held } = long);
  }
  // The rest is less than a byte, all ones.
  const rest = bits & ((1 << held) - 1);
  return at === to && held < 8 && rest === (1 << held) - 1 ? size : -1;
}

/** Decodes a code longer than quickBits; undefined when the input ends within it. */
function unpackLong(input: Uint8Array, from: number, to: number, head: number, headBits: number) {
  let at = from;
  let value = head;
  let bits = headBits;
  let length = quickBits + 1;
  for (; length <= longest; length++) {
    while (bits < length && at < to) {
      value = value * 256 + (input[at++] ?? 0);
      bits += 8;
    }
    if (bits < length) return undefined;
    const spare = 2 ** (bits - length);
    const index = Math.floor(value / spare) - (code.first[length] ?? 0);
    if (index >= 0 && index < (code.count[length] ?? 0)) {
      const symbol = code.symbols[(code.start[length] ?? 0) + index] ?? endOfString;
      return { symbol, at, bits: value % spare, held: bits - length };
    }
  }
  return undefined;
}
