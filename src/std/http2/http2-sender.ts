import type { Duplex } from "node:stream";
import {
  ackFrame,
  ConnectionError,
  defaultFrameBytes,
  defaultWindowBytes,
  errorCodes,
  frameTypes,
  maxWindowBytes,
  settingIds,
} from "./frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import type { Http2Stream } from "./http2-stream.ts";

/**
 * Limit of our frames (bytes), whatever the peer accepts: streams take turns, and little is
 * buffered in the connection.
 */
const longestFrameBytes = 64 * 1024;

type Streams = ReadonlyMap<number, Http2Stream>;

/**
 * The sending part of a connection: one frame of each stream in turn, within the peer's windows.
 */
export class Http2Sender {
  /** For frames that no window limits. */
  readonly writer: FrameWriter;
  readonly #encoder = new HpackEncoder();
  readonly #onSent: (stream: Http2Stream) => void;
  /** Streams with data to send, in their turn. */
  readonly #sending = new Set<Http2Stream>();
  #window = defaultWindowBytes;
  #streamWindow = defaultWindowBytes;
  #frameBytes = defaultFrameBytes;

  /** `onSent` is called when all data of a stream was sent. */
  constructor(socket: Duplex, onSent: (stream: Http2Stream) => void) {
    this.writer = new FrameWriter(socket, () => this.#pump());
    this.#onSent = onSent;
  }

  /** The send window of a new stream (bytes). */
  get streamWindow(): number {
    return this.#streamWindow;
  }

  /** Sends header fields, with the whole body if it is known. */
  headers(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void {
    const block = this.#encoder.encode(fields);
    const isWhole = body?.length === 0;
    this.writer.headers(stream.id, block, this.#frameBytes, isWhole);
    if (body) stream.enqueue(body);
    if (isWhole) this.#onSent(stream);
    else if (body) this.#sending.add(stream);
    this.#pump();
  }

  /** Adds a stream with data to send. */
  send(stream: Http2Stream): void {
    this.#sending.add(stream);
    this.#pump();
  }

  /** Removes a stream. */
  drop(stream: Http2Stream): void {
    this.#sending.delete(stream);
  }

  /** Increases the send window of a stream or of the connection; returns an error code. */
  widen(stream: Http2Stream | undefined, bytes: number): number {
    const grown = (stream ? stream.window : this.#window) + bytes;
    if (bytes === 0) return errorCodes.protocolError;
    if (grown > maxWindowBytes) return errorCodes.flowControlError;
    if (stream) stream.window = grown;
    else this.#window = grown;
    this.#pump();
    return errorCodes.noError;
  }

  /** Applies the peer's settings to open streams. */
  takeSettings(payload: Buffer, streams: Streams): void {
    if (payload.length % 6 !== 0) {
      throw new ConnectionError(errorCodes.frameSizeError, "settings are cut off");
    }
    for (let at = 0; at < payload.length; at += 6) {
      this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2), streams);
    }
    this.writer.write(ackFrame(frameTypes.settings, new Uint8Array()));
    this.#pump();
  }

  #set(id: number, value: number, streams: Streams): void {
    if (id === settingIds.headerTableSize) this.#encoder.setTableLimit(value);
    if (id === settingIds.maxFrameSize) {
      if (value < defaultFrameBytes || value > 0xffffff) {
        throw new ConnectionError(errorCodes.protocolError, "no size for a frame");
      }
      this.#frameBytes = Math.min(value, longestFrameBytes);
    }
    if (id !== settingIds.initialWindowSize) return;
    if (value > maxWindowBytes) {
      throw new ConnectionError(errorCodes.flowControlError, "no size for a window");
    }
    for (const stream of streams.values()) stream.window += value - this.#streamWindow;
    this.#streamWindow = value;
  }

  /** Sends data within the windows, one frame of each stream in turn. */
  #pump(): void {
    let hasSent = true;
    while (hasSent && !this.writer.isFull) {
      hasSent = false;
      for (const stream of this.#sending) {
        if (this.#sendFrame(stream)) hasSent = true;
        if (this.writer.isFull) break;
      }
    }
    this.writer.flushUnlessHeld();
  }

  /** False when the stream has nothing to send within its window. */
  #sendFrame(stream: Http2Stream): boolean {
    const most = Math.min(this.#window, stream.window, this.#frameBytes);
    if (stream.pendingBytes > 0 && most <= 0) return false;
    const chunk = stream.dequeue(most);
    this.#window -= chunk.length;
    stream.window -= chunk.length;
    const isLast = stream.isEnding && stream.pendingBytes === 0;
    const trailers = isLast ? stream.trailers : undefined;
    const endsHere = isLast && trailers === undefined;
    if (chunk.length > 0 || endsHere) this.writer.data(stream.id, chunk, endsHere);
    if (trailers) {
      this.writer.headers(stream.id, this.#encoder.encode(trailers), this.#frameBytes, true);
    }
    this.#sending.delete(stream);
    if (isLast) this.#onSent(stream);
    else if (stream.pendingBytes > 0) this.#sending.add(stream);
    return true;
  }
}
