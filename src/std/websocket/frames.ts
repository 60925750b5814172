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

interface Frame {
  readonly opcode: number;
  /** Whether it is the last frame of a message. */
  readonly final: boolean;
  readonly payload: Buffer;
}

/** A whole message, or a control frame, as bytes. Clients mask their frames. */
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

/** A protocol violation of the peer. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** Splits a stream of bytes into frames. */
export class FrameDecoder {
  readonly #maxBytes: number;
  readonly #masked: boolean;
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes needed for a complete frame: chunks are joined once per frame, not per chunk. */
  #neededBytes = 2;

  /** Larger frames are refused, and frames that are masked differently from `masked`. */
  constructor(maxBytes: number, { masked }: { readonly masked: boolean }) {
    this.#maxBytes = maxBytes;
    this.#masked = masked;
  }

  /** The complete frames. Throws ProtocolError. */
  push(chunk: Uint8Array): Frame[] {
    this.#parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#size += chunk.length;
    const frames: Frame[] = [];
    if (this.#size < this.#neededBytes) return frames;
    const [first] = this.#parts;
    const data = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    let at = 0;
    for (;;) {
      const head = this.#headAt(data, at);
      this.#neededBytes = head.neededBytes;
      if (data.length - at < head.neededBytes) break;
      frames.push(frameAt(data, at, head));
      at += head.neededBytes;
    }
    this.#parts = at < data.length ? [data.subarray(at)] : [];
    this.#size = data.length - at;
    return frames;
  }

  /** The size of the frame at this offset, or of its head while that is incomplete. */
  #headAt(data: Buffer, at: number): { neededBytes: number; headBytes: number } {
    if (data.length - at < 2) return { neededBytes: 2, headBytes: 2 };
    const [first = 0, second = 0] = data.subarray(at, at + 2);
    const short = second & 0x7f;
    checkHead(first, short);
    if (((second & 0x80) !== 0) !== this.#masked) {
      throw new ProtocolError("websocket: incorrect mask flag");
    }
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const headBytes = 2 + lengthBytes + (second & 0x80 ? 4 : 0);
    if (data.length - at < headBytes) return { neededBytes: headBytes, headBytes };
    const length =
      short === 127
        ? Number(data.readBigUInt64BE(at + 2))
        : short === 126
          ? data.readUInt16BE(at + 2)
          : short;
    if (length > this.#maxBytes) throw new ProtocolError("websocket: frame is too long");
    return { neededBytes: headBytes + length, headBytes };
  }
}

/** Extensions are never negotiated, and control frames are short and whole. */
function checkHead(first: number, shortLength: number): void {
  const opcode = first & 0x0f;
  if (first & 0x70) throw new ProtocolError("websocket: reserved bits are set");
  const isControl = opcode >= opcodes.close;
  if (opcode > opcodes.pong || (opcode > opcodes.binary && !isControl)) {
    throw new ProtocolError(`websocket: unknown opcode ${opcode}`);
  }
  if (isControl && (shortLength > 125 || (first & 0x80) === 0)) {
    throw new ProtocolError("websocket: control frame is too long or in parts");
  }
}

function frameAt(
  data: Buffer,
  at: number,
  { neededBytes, headBytes }: { readonly neededBytes: number; readonly headBytes: number },
): Frame {
  const [first = 0, second = 0] = data.subarray(at, at + 2);
  const payload = Buffer.from(data.subarray(at + headBytes, at + neededBytes));
  const start = at + headBytes;
  if (second & 0x80) applyMask(payload, data.subarray(start - 4, start));
  return { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload };
}
