/**
 * Codes of symbols by number, the first bit lowest, with the extra bits of each on top; and their
 * widths.
 */
interface Codes {
  readonly bits: Uint16Array;
  readonly widths: Uint8Array;
}

/** Limit of a match (bytes) that has a symbol. */
const matchBytesMost = 258;
/** The shortest match (bytes). */
const matchBytesLeast = 3;

/** Writes a deflate block of fixed codes into a reused buffer. Upstream: RFC 1951, 3.2.6. */
export class DeflateSymbols {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #length = 0;
  /** Bits that don't fill two bytes yet. */
  #bits = 0;
  #count = 0;

  /** The buffer must have room for everything that is written. */
  constructor(sizeBytes: number) {
    this.#bytes = new Uint8Array(sizeBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Approximate length of the block. */
  get length(): number {
    return this.#length;
  }

  /** Begins a block that isn't the last one. */
  begin(): void {
    this.#length = 0;
    this.#bits = 0;
    this.#count = 0;
    this.#put(0b010, 3);
  }

  literal(byte: number): void {
    this.#put(literals.bits[byte] ?? 0, literals.widths[byte] ?? 0);
  }

  /** A repetition of earlier bytes at a distance: at least 3. */
  match(length: number, distance: number): void {
    // Distances have ranges, two for each power of two; the rest is in extra bits.
    const extra = Math.max(0, 30 - Math.clz32(distance - 1));
    const symbol = 2 * extra + ((distance - 1) >>> extra);
    const rest = (distance - 1) & ((1 << extra) - 1);
    for (let left = length; left > 0; ) {
      const most = left - matchBytesMost < matchBytesLeast ? left - matchBytesLeast : left;
      const part = left <= matchBytesMost ? left : Math.min(most, matchBytesMost);
      this.#put(lengths.bits[part] ?? 0, lengths.widths[part] ?? 0);
      this.#put(distances[symbol] ?? 0, distanceWidth);
      this.#put(rest, extra);
      left -= part;
    }
  }

  /**
   * Ends the block, and adds an empty one that ends at a byte boundary; returns a part of the
   * buffer.
   */
  end(): Uint8Array {
    // The end of the block and the head of an empty stored block: all zeros.
    this.#put(0, 7 + 3);
    for (; this.#count > 0; this.#count -= 8) {
      this.#view.setUint8(this.#length++, this.#bits);
      this.#bits >>>= 8;
    }
    this.#view.setUint32(this.#length, 0xffff_0000, true);
    this.#length += 4;
    return this.#bytes.subarray(0, this.#length);
  }

  /** At most 16 bits. */
  #put(bits: number, width: number): void {
    this.#bits |= bits << this.#count;
    this.#count += width;
    if (this.#count < 16) return;
    this.#view.setUint16(this.#length, this.#bits, true);
    this.#length += 2;
    this.#bits >>>= 16;
    this.#count -= 16;
  }
}

const distanceWidth = 5;
const distances = Uint8Array.from({ length: 30 }, (_, symbol) => reverse(symbol, distanceWidth));
const literals = literalCodes();
const lengths = lengthCodes();

function literalCodes(): Codes {
  const codes = { bits: new Uint16Array(256), widths: new Uint8Array(256) };
  for (let byte = 0; byte < 256; byte++) {
    const width = byte < 144 ? 8 : 9;
    codes.bits[byte] = reverse(byte < 144 ? 0x30 + byte : 0x190 - 144 + byte, width);
    codes.widths[byte] = width;
  }
  return codes;
}

function lengthCodes(): Codes {
  const count = matchBytesMost + 1;
  const codes = { bits: new Uint16Array(count), widths: new Uint8Array(count) };
  for (let symbol = 257, length = matchBytesLeast; symbol < 286; symbol++) {
    // The longest match has its own symbol, which overwrites the last of the previous range.
    const extra = symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2;
    if (symbol === 285) length = matchBytesMost;
    const width = symbol < 280 ? 7 : 8;
    const code = reverse(symbol < 280 ? symbol - 256 : 0xc0 - 280 + symbol, width);
    for (let rest = 0; rest < 1 << extra; rest++, length++) {
      codes.bits[length] = code | (rest << width);
      codes.widths[length] = width + extra;
    }
  }
  return codes;
}

function reverse(code: number, width: number): number {
  let reversed = 0;
  for (let bit = 0; bit < width; bit++) reversed = (reversed << 1) | ((code >>> bit) & 1);
  return reversed;
}
