import type { Writable } from "node:stream";
import { flags, frameHeadBytes, frameTypes, writeFrameHead } from "./frame.ts";

/** Limit of one joined write (bytes). */
const writeBytes = 64 * 1024;

/** Writes frames to a connection, joined per turn of the event loop. */
export class FrameWriter {
  readonly #socket: Writable;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Whether frames are kept until release(). */
  #isHeld = false;
  /** Whether the connection's buffer is full. */
  isFull = false;

  /** `onDrain` is called when a full connection has room again. */
  constructor(socket: Writable, onDrain: () => void) {
    this.#socket = socket;
    socket.on("drain", () => {
      this.isFull = false;
      onDrain();
    });
  }

  /** Bytes not yet accepted by the connection. */
  get pendingBytes(): number {
    return this.#socket.writableLength + this.#bytes;
  }

  /** Writes a complete frame. */
  write(frame: Uint8Array): void {
    this.#add(frame);
    this.flushUnlessHeld();
  }

  /** Writes header fields, in several frames if needed. */
  headers(streamId: number, block: Uint8Array, limit: number, endsStream: boolean): void {
    let from = 0;
    do {
      const length = Math.min(limit, block.length - from);
      const isLast = from + length === block.length;
      const frame = Buffer.allocUnsafe(frameHeadBytes + length);
      const type = from === 0 ? frameTypes.headers : frameTypes.continuation;
      const ends = from === 0 && endsStream ? flags.endStream : 0;
      const head = { length, type, flags: (isLast ? flags.endHeaders : 0) | ends, streamId };
      frame.set(block.subarray(from, from + length), writeFrameHead(frame, 0, head));
      this.#add(frame);
      from += length;
    } while (from < block.length);
  }

  /** Writes a part of a body. */
  data(streamId: number, chunk: Uint8Array, endsStream: boolean): void {
    const frame = Buffer.allocUnsafe(frameHeadBytes);
    const ends = endsStream ? flags.endStream : 0;
    writeFrameHead(frame, 0, {
      length: chunk.length,
      type: frameTypes.data,
      flags: ends,
      streamId,
    });
    this.#add(frame);
    if (chunk.length > 0) this.#add(chunk);
    if (this.#bytes >= writeBytes) this.flush();
  }

  /** Keeps frames until release(). */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.flush();
  }

  /** Writes the kept frames. */
  flush(): void {
    const [first] = this.#parts;
    if (!first) return;
    const all = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    if (!this.#socket.writable) return;
    if (!this.#socket.write(all)) this.isFull = true;
  }

  flushUnlessHeld(): void {
    if (!this.#isHeld) this.flush();
  }

  #add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }
}
