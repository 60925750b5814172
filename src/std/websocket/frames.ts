/** RFC 6455, section 5. */
import { randomBytes } from "node:crypto";

export const opcodes = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

export interface Frame {
  readonly opcode: number;
  /** The last one of a message. */
  readonly final: boolean;
  readonly payload: Buffer;
}

/** A whole message, or a control frame, as bytes. What clients send is masked. */
export function encodeFrame(
  opcode: number,
  payload: Uint8Array,
  { masked = false }: { readonly masked?: boolean } = {},
): Buffer {
  const head = frameHead(0x80 | opcode, payload.length, masked);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  const hidden = Buffer.from(payload);
  applyMask(hidden, mask);
  return Buffer.concat([head, mask, hidden]);
}

function frameHead(first: number, length: number, masked: boolean): Buffer {
  const bit = masked ? 0x80 : 0;
  if (length < 126) return Buffer.from([first, bit | length]);
  if (length < 0x10000) {
    const head = Buffer.from([first, bit | 126, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = bit | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function applyMask(data: Buffer, mask: Uint8Array): void {
  for (let index = 0; index < data.length; index++) {
    data[index] = (data[index] ?? 0) ^ (mask[index & 3] ?? 0);
  }
}

/** Thrown for what no peer may send. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Cuts a stream of bytes into frames. */
export class FrameDecoder {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  /** Frames with more bytes are refused. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The frames that are complete now. */
  push(chunk: Uint8Array): Frame[] {
    const added = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#rest = this.#rest.length === 0 ? added : Buffer.concat([this.#rest, added]);
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    const data = this.#rest;
    if (data.length < 2) return undefined;
    const [first = 0, second = 0] = data;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const maskBytes = second & 0x80 ? 4 : 0;
    const start = 2 + lengthBytes + maskBytes;
    if (data.length < start) return undefined;
    const length = this.#lengthOf(data, short);
    if (data.length < start + length) return undefined;
    const payload = Buffer.from(data.subarray(start, start + length));
    if (maskBytes > 0) applyMask(payload, data.subarray(start - 4, start));
    this.#rest = data.subarray(start + length);
    return { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload };
  }

  #lengthOf(data: Buffer, short: number): number {
    const length =
      short === 127
        ? Number(data.readBigUInt64BE(2))
        : short === 126
          ? data.readUInt16BE(2)
          : short;
    if (length > this.#maxBytes) throw new ProtocolError("websocket: frame is too long");
    return length;
  }
}
