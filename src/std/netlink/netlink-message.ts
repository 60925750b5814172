/** Messages of the kernel's netlink protocol. Numbers of its headers have the machine's byte order: little-endian. */

/** An attribute: its number, and its value or the attributes inside it. */
export interface NetlinkAttribute {
  readonly type: number;
  readonly value: Uint8Array | readonly NetlinkAttribute[];
}

interface NetlinkMessage {
  /** The kind of request, of the protocol. */
  readonly type: number;
  readonly flags: number;
  /** The header of the protocol. */
  readonly header: Uint8Array;
  readonly attributes: readonly NetlinkAttribute[];
}

/** The flag of every request. */
const request = 0x01;
/** Flags of requests: to be answered by an error number, also if it is 0; to create an object. */
export const acknowledge = 0x04;
export const create = 0x400;
/** Flag of an attribute with attributes inside. */
const nested = 0x8000;
const headerBytes = 16;
const attributeHeaderBytes = 4;

export function encodeMessage({ type, flags, header, attributes }: NetlinkMessage): Buffer {
  const body = Buffer.concat([header, ...attributes.map(encodeAttribute)]);
  const head = Buffer.alloc(headerBytes);
  head.writeUInt32LE(headerBytes + body.length, 0);
  head.writeUInt16LE(type, 4);
  head.writeUInt16LE(flags | request, 6);
  return Buffer.concat([head, body]);
}

function encodeAttribute({ type, value }: NetlinkAttribute): Buffer {
  const isNested = !(value instanceof Uint8Array);
  const content = isNested ? Buffer.concat(value.map(encodeAttribute)) : value;
  const head = Buffer.alloc(attributeHeaderBytes);
  head.writeUInt16LE(attributeHeaderBytes + content.length, 0);
  head.writeUInt16LE(isNested ? type | nested : type, 2);
  // Every attribute begins at a multiple of four bytes.
  return Buffer.concat([head, content, Buffer.alloc(-content.length & 3)]);
}

/** The type of an answer that is an error number. */
const errorType = 2;

/** The error number (errno) of an answer; 0 if it is of success. */
export function errorOf(answer: Buffer): number {
  if (answer.readUInt16LE(4) !== errorType) return 0;
  return -answer.readInt32LE(headerBytes);
}

/** The attributes of an answer, by type, after the header of the protocol. */
export function decodeAttributes(answer: Buffer, protocolHeaderBytes: number): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  let offset = headerBytes + protocolHeaderBytes;
  while (offset + attributeHeaderBytes <= answer.length) {
    const length = answer.readUInt16LE(offset);
    if (length < attributeHeaderBytes) break;
    const type = answer.readUInt16LE(offset + 2) & ~nested;
    found.set(type, answer.subarray(offset + attributeHeaderBytes, offset + length));
    offset += length + (-length & 3);
  }
  return found;
}
