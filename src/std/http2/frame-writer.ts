import type { Writable } from "node:stream";
import { flags, frameHeadBytes, frameTypes, writeFrameHead } from "./frame.ts";

/** So much is joined into one write. */
const writeBytes = 64 * 1024;

/** Writes frames to a connection, those of one turn together. */
export class FrameWriter {
  readonly #socket: Writable;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Frames are kept until release(). */
  #isHeld = false;
  /** The connection takes nothing more for now. */
  isFull = false;

  /** `onDrain` is called when a connection that was full takes more. */
  constructor(socket: Writable, onDrain: () => void) {
    this.#socket = socket;
    socket.on("drain", () => {
      this.isFull = false;
      onDrain();
    });
  }

  /** Bytes that the connection has not taken. */
  get pendingBytes(): number {
    return this.#socket.writableLength + this.#bytes;
  }

  /** A frame that is ready. */
  write(frame: Uint8Array): void {
    this.#add(frame);
    this.flushUnlessHeld();
  }

  /** Header fields, in as many frames as they need. */
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

  /** A part of a body. */
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

  /** Keeps frames together until release(). */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.flush();
  }

  /** Hands over what is there. */
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
