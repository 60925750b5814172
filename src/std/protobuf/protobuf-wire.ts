/**
 * The protobuf wire format over byte arrays: a bounds-checked reader and a writer that works from the end, so that the
 * length of a nested message is known when it is written and nothing is measured twice.
 */

/** Wire types; the two group types are deprecated and only ever skipped. */
export const wireTypes = {
  varint: 0,
  fixed64: 1,
  bytes: 2,
  startGroup: 3,
  endGroup: 4,
  fixed32: 5,
} as const;

/** A protobuf integer of 64 bits: a number while it is a safe integer, a bigint beyond. */
export type Int64 = number | bigint;

/** Invalid protobuf: truncated, a length beyond the end, a varint of more than ten bytes. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** The first number of a field's record: field number and wire type. */
export function wireKey(field: number, wireType: number): number {
  return ((field << 3) | wireType) >>> 0;
}

const empty = new Uint8Array(0);

/** Limit of short strings (bytes), which are faster to handle in JavaScript than by the engine. */
const shortString = 32;

/**
 * Cache of short strings, by hash: most texts of a list ("TCP", "app", "default") repeat, and
 * sharing them saves time and memory. A power of two.
 */
const recentStringCount = 4096;
const recentStrings: string[] = new Array(recentStringCount).fill("");

/** Limit of the nesting of unknown groups. */
const maxGroupDepth = 100;

/** Records of a message without a limit (count): more than its bytes can hold. */
const noLimit = 0x7fff_ffff;

/** Reads one message; `pos` and `end` are public so that compiled decoders can narrow it to a nested message. */
export class WireReader {
  readonly bytes: Uint8Array;
  readonly #buffer: Buffer;
  pos: number;
  /** Invariant: pos <= end <= bytes.length. */
  end: number;
  /** How many more records may follow, in all nested messages (count). */
  #recordsLeft: number;

  constructor(bytes: Uint8Array, pos = 0, end = bytes.length, maxRecords = noLimit) {
    if (pos < 0 || pos > end || end > bytes.length) throw new WireError("unexpected EOF");
    this.bytes = bytes;
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.pos = pos;
    this.end = end;
    this.#recordsLeft = maxRecords;
  }

  /** The key of the next field (see wireKey); refuses field number 0 and numbers beyond 29 bits. */
  key(): number {
    this.countRecord();
    const { pos } = this;
    if (pos < this.end) {
      const byte = this.bytes[pos] as number;
      if (byte < 0x80 && byte > 7) {
        this.pos = pos + 1;
        return byte;
      }
    }
    const key = this.uint64();
    if (typeof key === "bigint" || key > 0xffffffff || key >>> 3 === 0) {
      throw new WireError(`illegal tag ${key}`);
    }
    return key;
  }

  /** Throws if there were as many records as are permitted. */
  countRecord(): void {
    if (--this.#recordsLeft < 0) throw new WireError("too many fields");
  }

  /** The low 32 bits of a varint as an unsigned number; longer varints are truncated as in Go. */
  uint32(): number {
    const { bytes, end } = this;
    let { pos } = this;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (pos >= end) throw new WireError("unexpected EOF");
      const byte = bytes[pos++] as number;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.pos = pos;
        return value >>> 0;
      }
    }
    throw new WireError("proto: integer overflow");
  }

  int32(): number {
    return this.uint32() | 0;
  }

  bool(): boolean {
    const { pos } = this;
    if (pos < this.end) {
      const byte = this.bytes[pos] as number;
      if (byte < 0x80) {
        this.pos = pos + 1;
        return byte !== 0;
      }
    }
    return this.uint64() !== 0;
  }

  /** A varint as an unsigned integer of 64 bits. */
  uint64(): Int64 {
    const low = this.#varintHalves();
    const high = this.#high;
    if (high < 0x200000) return high * 0x100000000 + low;
    return (BigInt(high) << 32n) | BigInt(low);
  }

  /** A varint as a two's complement integer of 64 bits. */
  int64(): Int64 {
    const low = this.#varintHalves();
    return signed64(this.#high | 0, low);
  }

  /** Upper half of the varint that #varintHalves read last. */
  #high = 0;

  #varintHalves(): number {
    const { bytes, end } = this;
    let { pos } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (pos >= end) throw new WireError("unexpected EOF");
      const byte = bytes[pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.pos = pos;
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new WireError("proto: integer overflow");
  }

  fixed32(): number {
    return this.#buffer.readUInt32LE(this.#take(4));
  }

  sfixed32(): number {
    return this.fixed32() | 0;
  }

  fixed64(): Int64 {
    const pos = this.#take(8);
    const low = this.#buffer.readUInt32LE(pos);
    const high = this.#buffer.readUInt32LE(pos + 4);
    if (high < 0x200000) return high * 0x100000000 + low;
    return (BigInt(high) << 32n) | BigInt(low);
  }

  sfixed64(): Int64 {
    const pos = this.#take(8);
    return signed64(this.#buffer.readInt32LE(pos + 4), this.#buffer.readUInt32LE(pos));
  }

  float(): number {
    return this.#buffer.readFloatLE(this.#take(4));
  }

  double(): number {
    return this.#buffer.readDoubleLE(this.#take(8));
  }

  /** Reads a length and returns the position where its content ends; the content starts at `pos`. */
  length(): number {
    const { pos } = this;
    let size: Int64 = 0;
    if (pos < this.end && (this.bytes[pos] as number) < 0x80) {
      size = this.bytes[pos] as number;
      this.pos = pos + 1;
    } else {
      size = this.int64();
      if (size < 0) throw new WireError("proto: negative length found during unmarshaling");
    }
    // A bigint exceeds any array length, and so compares as longer than the rest.
    if (size > this.end - this.pos) throw new WireError("unexpected EOF");
    return this.pos + Number(size);
  }

  /** A view of the content, not a copy: it keeps the message in memory. */
  view(): Uint8Array {
    const end = this.length();
    const { pos } = this;
    this.pos = end;
    return pos === end ? empty : this.bytes.subarray(pos, end);
  }

  /** Text; invalid UTF-8 becomes U+FFFD. */
  string(): string {
    const end = this.length();
    const { pos } = this;
    this.pos = end;
    if (pos === end) return "";
    if (end - pos > shortString) return this.#buffer.toString("utf8", pos, end);
    const slot = hash(this.bytes, pos, end) & (recentStringCount - 1);
    const recent = recentStrings[slot] as string;
    if (isSame(recent, this.bytes, pos, end)) return recent;
    const text = this.#buffer.toString("utf8", pos, end);
    recentStrings[slot] = text;
    return text;
  }

  /** Skips the value of the field with this key. */
  skip(key: number): void {
    let depth = 0;
    let current = key;
    for (;;) {
      const wireType = current & 7;
      if (wireType === wireTypes.startGroup) depth++;
      else if (wireType === wireTypes.endGroup) depth--;
      else this.#skipValue(wireType);
      if (depth < 0) throw new WireError("proto: unexpected end of group");
      if (depth > maxGroupDepth) throw new WireError("proto: groups nested too deeply");
      if (depth === 0) return;
      current = this.key();
    }
  }

  #skipValue(wireType: number): void {
    if (wireType === wireTypes.varint) this.#varintHalves();
    else if (wireType === wireTypes.fixed64) this.#take(8);
    else if (wireType === wireTypes.bytes) this.pos = this.length();
    else if (wireType === wireTypes.fixed32) this.#take(4);
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }

  #take(size: number): number {
    const { pos } = this;
    if (size > this.end - pos) throw new WireError("unexpected EOF");
    this.pos = pos + size;
    return pos;
  }
}

function signed64(high: number, low: number): Int64 {
  const value = high * 0x100000000 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
}

/** A hash of the length and of seven bytes: enough to distinguish most texts. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  const size = end - start;
  const last = end - 1;
  let value = size;
  value = Math.imul(value, 31) + (bytes[start] as number);
  value = Math.imul(value, 31) + (bytes[start + (size >> 3)] as number);
  value = Math.imul(value, 31) + (bytes[start + (size >> 2)] as number);
  value = Math.imul(value, 31) + (bytes[start + (size >> 1)] as number);
  value = Math.imul(value, 31) + (bytes[last - (size >> 2)] as number);
  value = Math.imul(value, 31) + (bytes[last - (size > 1 ? 1 : 0)] as number);
  value = Math.imul(value, 31) + (bytes[last] as number);
  return value ^ (value >>> 13);
}

/** Whether a text equals the bytes; never for non-ASCII. */
function isSame(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) {
    const byte = bytes[start + i] as number;
    if (byte !== text.charCodeAt(i) || byte >= 0x80) return false;
  }
  return true;
}

/** Room (bytes) for the usual content before a large value: keys, lengths, a name. */
const frontBytes = 256;
/** Limit of the buffer (bytes) that a reset writer keeps. */
const mostKeptBytes = 256 * 1024;

/**
 * Writes a message from its end to its beginning: last field first, and for each field the value before the key. A nested
 * message or a string is thus followed by its length, which is what has been written since `mark()`.
 */
export class WireWriter {
  #buffer: Buffer;
  /** Invariant: everything from here to the end of the buffer is written. */
  #pos: number;

  constructor(sizeHint = 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(sizeHint, 16));
    this.#pos = this.#buffer.length;
  }

  /** Number of written bytes; pass it to `length` once the content in front of it is written. */
  mark(): number {
    return this.#buffer.length - this.#pos;
  }

  /** Writes the size of everything written since the mark. */
  length(mark: number): void {
    this.uint32(this.#buffer.length - this.#pos - mark);
  }

  /** Also the key of a field (see wireKey). */
  uint32(value: number): void {
    if (value < 0x80) {
      const pos = this.#reserve(1);
      this.#buffer[pos] = value;
      return;
    }
    const size = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    let pos = this.#reserve(size);
    let rest = value;
    for (let i = 1; i < size; i++) {
      this.#buffer[pos++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[pos] = rest;
  }

  bool(value: boolean): void {
    const pos = this.#reserve(1);
    this.#buffer[pos] = value ? 1 : 0;
  }

  /** Negative numbers take ten bytes, for int32 fields too. */
  int64(value: Int64): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffffffff) this.uint32(value);
    else this.#varint(BigInt.asUintN(64, BigInt(value)));
  }

  uint64(value: Int64): void {
    this.int64(value);
  }

  #varint(value: bigint): void {
    let low = Number(value & 0xffffffffn);
    let high = Number(value >> 32n);
    let size = 1;
    for (let rest = value >> 7n; rest > 0n; rest >>= 7n) size++;
    let pos = this.#reserve(size);
    for (let i = 1; i < size; i++) {
      this.#buffer[pos++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#buffer[pos] = low;
  }

  fixed32(value: number): void {
    const pos = this.#reserve(4);
    this.#buffer.writeUInt32LE(value >>> 0, pos);
  }

  fixed64(value: Int64): void {
    const pos = this.#reserve(8);
    this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), pos);
  }

  float(value: number): void {
    const pos = this.#reserve(4);
    this.#buffer.writeFloatLE(value, pos);
  }

  double(value: number): void {
    const pos = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, pos);
  }

  /** Bytes without a length. */
  raw(bytes: Uint8Array): void {
    const pos = this.#reserve(bytes.length);
    this.#buffer.set(bytes, pos);
  }

  /** A length, then the bytes. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.uint32(bytes.length);
  }

  /** A length, then the text in UTF-8. */
  string(text: string): void {
    if (text.length <= shortString && this.#shortAscii(text)) return;
    const size = Buffer.byteLength(text, "utf8");
    const pos = this.#reserve(size);
    this.#buffer.write(text, pos, size, "utf8");
    this.uint32(size);
  }

  #shortAscii(text: string): boolean {
    const size = text.length;
    const pos = this.#reserve(size + 1);
    const buffer = this.#buffer;
    for (let i = 0; i < size; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        this.#pos = pos + size + 1;
        return false;
      }
      buffer[pos + 1 + i] = code;
    }
    buffer[pos] = size;
    return true;
  }

  /** The written bytes; the writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#buffer.subarray(this.#pos);
  }

  /** A copy of the written bytes; resets the writer. */
  take(): Uint8Array {
    const taken = Buffer.from(this.finish());
    if (this.#buffer.length > mostKeptBytes) this.#buffer = Buffer.allocUnsafeSlow(frontBytes);
    this.#pos = this.#buffer.length;
    return taken;
  }

  /** Makes room in front; may replace the buffer, so call it before any use of the buffer. */
  #reserve(size: number): number {
    if (size > this.#pos) this.#grow(size);
    this.#pos -= size;
    return this.#pos;
  }

  #grow(size: number): void {
    const written = this.#buffer.length - this.#pos;
    const needed = written + size + frontBytes;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, needed));
    larger.set(this.#buffer.subarray(this.#pos), larger.length - written);
    this.#pos = larger.length - written;
    this.#buffer = larger;
  }
}
