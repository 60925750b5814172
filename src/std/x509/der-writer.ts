/** A minimal writer of ASN.1 DER for certificates and requests. */
import { parseIp } from "../net/ip.ts";

/** An element with this tag and the concatenated parts. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);

export const setOf = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);

export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));

/** A whole number that is not negative, from its bytes. */
export const integer = (bytes: Uint8Array): Buffer =>
  element(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.from([0, ...bytes]) : bytes);

/** A bit string without unused bits. */
export const bitString = (bytes: Uint8Array): Buffer => element(0x03, Buffer.of(0), bytes);

export const octetString = (bytes: Uint8Array): Buffer => element(0x04, bytes);

export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));

/** First year that certificates write with four digits (RFC 5280, 4.1.2.5). */
const firstLongYear = 2050;

/** A time, to the second: UTCTime before 2050. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  const year = new Date(ms).getUTCFullYear();
  return year >= 1950 && year < firstLongYear
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text));
}

/** An object identifier from its dotted form. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return element(0x06, Buffer.from(bytes));
}

/** An address as its 4 or 16 bytes; throws if it is invalid. */
export function addressBytes(address: string): Buffer {
  const ip = parseIp(address);
  if (!ip) throw new Error(`${address} is no address`);
  const length = ip.family === 4 ? 4 : 16;
  return Buffer.from(ip.value.toString(16).padStart(length * 2, "0"), "hex");
}
