/** Just enough of ASN.1 DER to read certificates. */

/** One element: its tag, its content, and all its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements that follow one another in some bytes. Throws on what is no DER. */
export function readDer(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { element, end } = readElement(bytes, at);
    elements.push(element);
    at = end;
  }
  return elements;
}

function readElement(bytes: Uint8Array, at: number): { element: DerElement; end: number } {
  const tag = bytes[at] ?? 0;
  let length = bytes[at + 1];
  if (length === undefined) throw new Error("DER ends too early");
  let start = at + 2;
  if (length >= 0x80) {
    const size = length & 0x7f;
    if (size === 0 || size > 4) throw new Error("DER length is out of range");
    length = 0;
    for (let n = 0; n < size; n++) length = length * 256 + (bytes[start++] ?? 0);
  }
  const end = start + length;
  if (end > bytes.length) throw new Error("DER ends too early");
  return { element: { tag, content: bytes.subarray(start, end) }, end };
}

/** An object identifier in dotted form. */
export function readOid(bytes: Uint8Array): string {
  const parts: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (parts.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      parts.push(first, value - first * 40);
    } else parts.push(value);
    value = 0;
  }
  return parts.join(".");
}

const bmpString = 0x1e;
const latin = new Set([0x13, 0x16, 0x14, 0x12]);

/** A string of whatever kind; undefined for what is none. */
export function readString({ tag, content }: DerElement): string | undefined {
  const buffer = Buffer.from(content);
  if (tag === 0x0c) return buffer.toString("utf8");
  if (latin.has(tag)) return buffer.toString("latin1");
  if (tag === bmpString && content.length % 2 === 0) return buffer.swap16().toString("utf16le");
  return undefined;
}
