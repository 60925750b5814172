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

/** No frame of ours is longer, whatever the peer takes: streams take turns, and little waits in the connection. */
const longestFrameBytes = 64 * 1024;

type Streams = ReadonlyMap<number, Http2Stream>;

/** What goes out on a connection: a frame of each stream in turn, as far as the peer's windows reach. */
export class Http2Sender {
  /** For frames that no window holds back. */
  readonly writer: FrameWriter;
  readonly #encoder = new HpackEncoder();
  readonly #onSent: (stream: Http2Stream) => void;
  /** Those with something to send, in the order in which it is their turn. */
  readonly #sending = new Set<Http2Stream>();
  #window = defaultWindowBytes;
  #streamWindow = defaultWindowBytes;
  #frameBytes = defaultFrameBytes;

  /** `onSent` is called when all of a stream was sent. */
  constructor(socket: Duplex, onSent: (stream: Http2Stream) => void) {
    this.writer = new FrameWriter(socket, () => this.#pump());
    this.#onSent = onSent;
  }

  /** How much the peer takes of a stream that is new. */
  get streamWindow(): number {
    return this.#streamWindow;
  }

  /** Sends header fields, with the whole body if there is one and it is known. */
  headers(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void {
    const block = this.#encoder.encode(fields);
    const isWhole = body?.length === 0;
    this.writer.headers(stream.id, block, this.#frameBytes, isWhole);
    if (body) stream.enqueue(body);
    if (isWhole) this.#onSent(stream);
    else if (body) this.#sending.add(stream);
    this.#pump();
  }

  /** The stream has more to send. */
  send(stream: Http2Stream): void {
    this.#sending.add(stream);
    this.#pump();
  }

  /** Nothing more is sent of it. */
  drop(stream: Http2Stream): void {
    this.#sending.delete(stream);
  }

  /** The peer takes so much more of a stream, or of all together; says what is wrong with that, if anything. */
  widen(stream: Http2Stream | undefined, bytes: number): number {
    const grown = (stream ? stream.window : this.#window) + bytes;
    if (bytes === 0) return errorCodes.protocolError;
    if (grown > maxWindowBytes) return errorCodes.flowControlError;
    if (stream) stream.window = grown;
    else this.#window = grown;
    this.#pump();
    return errorCodes.noError;
  }

  /** What the peer wants; `streams` are those that are open. */
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

  /** Sends what windows and the connection let through, a frame of each stream in turn. */
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

  /** False when the stream has nothing that it may send now. */
  #sendFrame(stream: Http2Stream): boolean {
    const most = Math.min(this.#window, stream.window, this.#frameBytes);
    if (stream.pendingBytes > 0 && most <= 0) return false;
    const chunk = stream.dequeue(most);
    this.#window -= chunk.length;
    stream.window -= chunk.length;
    const isLast = stream.isEnding && stream.pendingBytes === 0;
    if (chunk.length > 0 || isLast) this.writer.data(stream.id, chunk, isLast);
    this.#sending.delete(stream);
    if (isLast) this.#onSent(stream);
    else if (stream.pendingBytes > 0) this.#sending.add(stream);
    return true;
  }
}
