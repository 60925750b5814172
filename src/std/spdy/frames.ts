/** The SPDY protocol, draft 3.1, section 2.2. */

export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** The sender has ended its side of the stream. */
export const flagFin = 0x01;

/** Received data that is not SPDY, or exceeds a limit. */
export class SpdyError extends Error {}

export type SpdyFrame =
  | {
      readonly kind: "data";
      readonly streamId: number;
      readonly flags: number;
      readonly body: Buffer;
    }
  | {
      readonly kind: "control";
      readonly type: number;
      readonly flags: number;
      readonly body: Buffer;
    };

const version = 3;
const headBytes = 8;

export function dataFrame(streamId: number, flags: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(streamId);
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  return Buffer.concat([head, body]);
}

export function controlFrame(type: number, flags: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  return Buffer.concat([head, body]);
}

/** Consecutive 32-bit numbers. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value >>> 0, index * 4);
  });
  return bytes;
}

/** Splits a stream of bytes into frames. The format limits frames to 16 MiB. */
export class SpdyFrameDecoder {
  #parts: Buffer[] = [];
  #size = 0;
  /** Bytes needed for a complete frame: chunks are joined once per frame, not per chunk. */
  #neededBytes = headBytes;

  /** The frames that are complete now. */
  push(chunk: Uint8Array): SpdyFrame[] {
    this.#parts.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#size += chunk.length;
    const frames: SpdyFrame[] = [];
    if (this.#size < this.#neededBytes) return frames;
    let data = this.#joined();
    for (;;) {
      this.#neededBytes = headBytes;
      if (data.length < headBytes) break;
      const end = headBytes + (data.readUInt32BE(4) & 0xffffff);
      this.#neededBytes = end;
      if (data.length < end) break;
      frames.push(frameOf(data.subarray(0, end)));
      data = data.subarray(end);
    }
    this.#parts = data.length > 0 ? [data] : [];
    this.#size = data.length;
    return frames;
  }

  #joined(): Buffer {
    const [first] = this.#parts;
    return this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
  }
}

function frameOf(data: Buffer): SpdyFrame {
  const flags = data.readUInt8(4);
  const body = data.subarray(headBytes);
  const first = data.readUInt32BE(0);
  if ((first & 0x80000000) === 0) return { kind: "data", streamId: first, flags, body };
  return { kind: "control", type: first & 0xffff, flags, body };
}
