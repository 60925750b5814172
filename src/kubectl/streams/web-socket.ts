/** RFC 6455, from the client's side. */
import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { UpgradedStream } from "#/client/transport.ts";

const opcode = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

/** Larger frames are nothing that a Kubernetes server sends. */
const maxFrameBytes = 64 * 1024 * 1024;

/** Messages over an upgraded connection. */
export class WebSocketClient {
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #head: Uint8Array;

  constructor({ protocol, socket, head }: UpgradedStream) {
    this.protocol = protocol;
    this.#socket = socket;
    this.#head = head;
  }

  /** Sends a binary message; resolves when there is room for more. */
  async send(data: Uint8Array): Promise<void> {
    if (this.#socket.destroyed) return;
    if (this.#socket.write(encodeFrame(opcode.binary, data))) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#socket.off("drain", done).off("close", done);
        resolve();
      };
      this.#socket.once("drain", done).once("close", done);
    });
  }

  close(): void {
    if (this.#socket.destroyed) return;
    this.#socket.end(encodeFrame(opcode.close, Buffer.from([0x03, 0xe8])));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The messages of the other side until it closes. */
  async *messages(): AsyncGenerator<Buffer> {
    let buffer: Buffer = Buffer.from(this.#head);
    let fragments: Buffer[] = [];
    const take = function* (): Generator<Frame> {
      for (let frame = decodeFrame(buffer); frame; frame = decodeFrame(buffer)) {
        buffer = buffer.subarray(frame.size);
        yield frame;
      }
    };
    const handle = (frame: Frame): Buffer | undefined => {
      if (frame.opcode === opcode.ping) this.#socket.write(encodeFrame(opcode.pong, frame.data));
      if (frame.opcode >= opcode.close) return undefined;
      fragments.push(frame.data);
      if (!frame.isFinal) return undefined;
      const message = Buffer.concat(fragments);
      fragments = [];
      return message;
    };
    for (const frame of take()) {
      if (frame.opcode === opcode.close) return;
      const message = handle(frame);
      if (message) yield message;
    }
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      buffer = Buffer.concat([buffer, chunk]);
      for (const frame of take()) {
        if (frame.opcode === opcode.close) return;
        const message = handle(frame);
        if (message) yield message;
      }
    }
  }
}

interface Frame {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly data: Buffer;
  /** With its header. */
  readonly size: number;
}

/** The frame at the beginning of a buffer; undefined if it isn't whole. */
export function decodeFrame(buffer: Buffer): Frame | undefined {
  if (buffer.length < 2) return undefined;
  const [first = 0, second = 0] = buffer;
  let length = second & 0x7f;
  let offset = 2;
  if (length === 126) {
    if (buffer.length < 4) return undefined;
    length = buffer.readUInt16BE(2);
    offset = 4;
  } else if (length === 127) {
    if (buffer.length < 10) return undefined;
    length = Number(buffer.readBigUInt64BE(2));
    offset = 10;
  }
  if (length > maxFrameBytes) throw new Error(`a frame of ${length} bytes is too large`);
  const isMasked = (second & 0x80) !== 0;
  const start = offset + (isMasked ? 4 : 0);
  if (buffer.length < start + length) return undefined;
  const data = Buffer.from(buffer.subarray(start, start + length));
  if (isMasked) applyMask(data, buffer.subarray(offset, start));
  return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, data, size: start + length };
}

/** A whole message in one frame, masked as a client must. */
export function encodeFrame(code: number, data: Uint8Array): Buffer {
  const { length } = data;
  const extra = length < 126 ? 0 : length < 0x10000 ? 2 : 8;
  const frame = Buffer.alloc(2 + extra + 4 + length);
  frame[0] = 0x80 | code;
  frame[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) frame.writeUInt16BE(length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(frame, 2 + extra);
  frame.set(data, 2 + extra + 4);
  applyMask(frame.subarray(2 + extra + 4), mask);
  return frame;
}

function applyMask(data: Buffer, mask: Uint8Array): void {
  for (let i = 0; i < data.length; i++) data[i] = (data[i] ?? 0) ^ (mask[i & 3] ?? 0);
}
