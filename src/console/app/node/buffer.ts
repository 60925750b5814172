/** What kubectl uses of Node's Buffer: bytes that know the usual encodings. */
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true });

export class Buffer extends Uint8Array<ArrayBuffer> {
  static override from(source: unknown, encoding?: unknown, length?: unknown): Buffer {
    if (typeof source === "string") return Buffer.#ofText(source, String(encoding ?? "utf8"));
    if (source instanceof ArrayBuffer) {
      return new Buffer(source, Number(encoding ?? 0), length as number | undefined);
    }
    const bytes = source as ArrayLike<number>;
    const copy = Buffer.alloc(bytes.length);
    copy.set(bytes);
    return copy;
  }

  static #ofText(text: string, encoding: string): Buffer {
    const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
    const bytes = decode ? decode(text) : encoder.encode(text);
    return new Buffer(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  }

  static alloc(size: number, fill = 0): Buffer {
    return new Buffer(new ArrayBuffer(size)).fill(fill);
  }

  static allocUnsafe(size: number): Buffer {
    return Buffer.alloc(size);
  }

  static concat(list: readonly Uint8Array[], size?: number): Buffer {
    const whole = Buffer.alloc(size ?? list.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const bytes of list) {
      whole.set(bytes.subarray(0, Math.max(0, whole.length - at)), at);
      at += bytes.length;
    }
    return whole;
  }

  static byteLength(data: string | ArrayBufferView, encoding?: string): number {
    return typeof data === "string" ? Buffer.from(data, encoding).length : data.byteLength;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  static compare(a: Uint8Array, b: Uint8Array): number {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const difference = (a[at] ?? 0) - (b[at] ?? 0);
      if (difference !== 0) return Math.sign(difference);
    }
    return Math.sign(a.length - b.length);
  }

  override toString(encoding = "utf8", from = 0, to = this.length): string {
    const bytes = this.subarray(from, to);
    const encode = Object.hasOwn(encoders, encoding) ? encoders[encoding] : undefined;
    return encode ? encode(bytes) : decoder.decode(bytes);
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  compare(other: Uint8Array): number {
    return Buffer.compare(this, other);
  }

  copy(target: Uint8Array, at = 0, from = 0, to = this.length): number {
    const bytes = this.subarray(from, Math.min(to, from + target.length - at));
    target.set(bytes, at);
    return bytes.length;
  }

  write(text: string, at = 0): number {
    return Buffer.from(text).copy(this, at);
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }

  readUInt8(at = 0): number {
    return this.#view.getUint8(at);
  }

  readUInt16BE(at = 0): number {
    return this.#view.getUint16(at);
  }

  readUInt16LE(at = 0): number {
    return this.#view.getUint16(at, true);
  }

  readUInt32BE(at = 0): number {
    return this.#view.getUint32(at);
  }

  readUInt32LE(at = 0): number {
    return this.#view.getUint32(at, true);
  }

  readInt32LE(at = 0): number {
    return this.#view.getInt32(at, true);
  }

  writeUInt8(value: number, at = 0): number {
    this.#view.setUint8(at, value);
    return at + 1;
  }

  writeUInt16BE(value: number, at = 0): number {
    this.#view.setUint16(at, value);
    return at + 2;
  }

  writeUInt16LE(value: number, at = 0): number {
    this.#view.setUint16(at, value, true);
    return at + 2;
  }

  writeUInt32BE(value: number, at = 0): number {
    this.#view.setUint32(at, value);
    return at + 4;
  }

  writeUInt32LE(value: number, at = 0): number {
    this.#view.setUint32(at, value, true);
    return at + 4;
  }
}

export const isUtf8 = (bytes: Uint8Array<ArrayBuffer>): boolean => {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const binaryOf = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

const bytesOfBinary = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);

/** Base64 as Node reads it: what does not belong there is skipped. */
const bytesOfBase64 = (text: string): Uint8Array => {
  const [given = ""] = text.replace(/[^\w+/=-]/g, "").split("=");
  const usual = given.replaceAll("-", "+").replaceAll("_", "/");
  return bytesOfBinary(atob(usual.length % 4 === 1 ? usual.slice(0, -1) : usual));
};

const decoders: Readonly<Record<string, (text: string) => Uint8Array>> = {
  base64: bytesOfBase64,
  base64url: bytesOfBase64,
  hex: (text) => Uint8Array.from(text.match(/[\da-f]{2}/gi) ?? [], (pair) => Number(`0x${pair}`)),
  latin1: bytesOfBinary,
  binary: bytesOfBinary,
  ascii: bytesOfBinary,
};

const encoders: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  base64: (bytes) => btoa(binaryOf(bytes)),
  base64url: (bytes) =>
    btoa(binaryOf(bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  hex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  latin1: binaryOf,
  binary: binaryOf,
  ascii: (bytes) => binaryOf(bytes.map((byte) => byte & 0x7f)),
};
