/** A minimal reader of ASN.1 DER for certificates. */
import { formatIp } from "../net/ip.ts";

/** Invalid DER, or an unexpected structure. */
export class DerError extends Error {}

/** One element: its tag, its content, and all its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Limit of consecutive elements: certificates with thousands of names have fewer. */
const maxElements = 16_384;

/** Parses consecutive elements. Throws DerError: a length has one encoding only, as in Go. */
export function readDer(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { element, end } = readElement(bytes, at);
    elements.push(element);
    if (elements.length > maxElements) throw new DerError("DER has too many elements");
    at = end;
  }
  return elements;
}

function readElement(bytes: Uint8Array, at: number): { element: DerElement; end: number } {
  const tag = bytes[at] ?? 0;
  if ((tag & 0x1f) === 0x1f) throw new DerError("DER tag is out of range");
  const { length, start } = readLength(bytes, at + 1);
  const end = start + length;
  if (end > bytes.length) throw new DerError("DER ends too early");
  return { element: { tag, content: bytes.subarray(start, end) }, end };
}

function readLength(bytes: Uint8Array, at: number): { length: number; start: number } {
  const first = bytes[at];
  if (first === undefined) throw new DerError("DER ends too early");
  if (first < 0x80) return { length: first, start: at + 1 };
  const start = at + 1 + (first & 0x7f);
  if (first === 0x80 || first > 0x84) throw new DerError("DER length is out of range");
  if (start > bytes.length) throw new DerError("DER ends too early");
  let length = 0;
  for (let next = at + 1; next < start; next++) length = length * 256 + (bytes[next] ?? 0);
  if (bytes[at + 1] === 0 || length < 0x80) throw new DerError("DER length is not minimal");
  return { length, start };
}

/** Limit of an object identifier (bytes): the longest in use have about 20. */
const maxOidBytes = 128;

/** An object identifier in dotted form. Throws DerError. */
export function readOid(bytes: Uint8Array): string {
  if (bytes.length === 0 || bytes.length > maxOidBytes || (bytes.at(-1) ?? 0) >= 0x80) {
    throw new DerError("invalid object identifier");
  }
  const parts: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    if (value === 0 && byte === 0x80) throw new DerError("invalid object identifier");
    value = value * 128 + (byte & 0x7f);
    if (value > maxArc) throw new DerError("invalid object identifier");
    if (byte & 0x80) continue;
    if (parts.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      parts.push(first, value - first * 40);
    } else parts.push(value);
    value = 0;
  }
  return parts.join(".");
}

/** Limit of one number of an object identifier, as in Go. */
const maxArc = 2 ** 31 - 1;

/** A boolean, which has one encoding for each value. Throws DerError. */
export function readBoolean({ tag, content }: DerElement): boolean {
  const [value] = content;
  if (tag !== 0x01 || content.length !== 1 || (value !== 0 && value !== 0xff)) {
    throw new DerError("invalid boolean");
  }
  return value === 0xff;
}

/** An address in the names of a certificate: 4 or 16 bytes. Throws DerError. */
export function readAddress(content: Uint8Array): string {
  const family = content.length === 4 ? 4 : content.length === 16 ? 6 : undefined;
  if (!family) throw new DerError(`x509: cannot parse IP address of length ${content.length}`);
  return formatIp({ family, value: BigInt(`0x${Buffer.from(content).toString("hex")}`) });
}

const bmpString = 0x1e;
const latin = new Set([0x13, 0x16, 0x14, 0x12]);

/** A string of any type; undefined if it is none. */
export function readString({ tag, content }: DerElement): string | undefined {
  const buffer = Buffer.from(content);
  if (tag === 0x0c) return buffer.toString("utf8");
  if (latin.has(tag)) return buffer.toString("latin1");
  if (tag === bmpString && content.length % 2 === 0) return buffer.swap16().toString("utf16le");
  return undefined;
}
