import type { Duplex } from "node:stream";
import type { Clock, Timer } from "../time/clock.ts";
import { TokenBucket } from "../time/token-bucket.ts";
import {
  ackFrame,
  ConnectionError,
  defaultWindowBytes,
  errorCodes,
  type Frame,
  flags,
  frameTypes,
  numbersFrame,
  settingIds,
  settingsFrame,
  unpadded,
} from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { HeaderReader, type Headers } from "./header-reader.ts";
import { HeadersTooLargeError, HpackError } from "./hpack-decoder.ts";
import { Http2Sender } from "./http2-sender.ts";
import { Http2Stream, type StreamOwner } from "./http2-stream.ts";
import { declaredLength, isRequest } from "./request-fields.ts";

export interface Http2SessionOptions {
  readonly clock: Clock;
  /** Limit of active requests. */
  readonly maxStreams: number;
  /** Limit of one request's header fields (bytes). */
  readonly maxHeaderBytes: number;
  /** Serves a request; resolves when its work has ended. */
  readonly serve: (stream: Http2Stream) => Promise<void>;
}

/**
 * Receive window of one body (bytes).
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/secure_serving.go.
 */
const streamWindowBytes = 256 * 1024;
/**
 * Limit of unsent bytes when the client requests replies (pings, settings) and doesn't read them.
 */
const unreadBytes = 1024 * 1024;
/**
 * Idle timeout of a connection without requests (ms).
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/secure_serving.go.
 */
const idleMs = 90_000;
/** Limit of the time in which a closing connection sends its last bytes (ms): the client may not read. */
const lingerMs = 10_000;
/**
 * Limit of requests that a client cancels, or that are refused, before the connection is closed.
 */
const resets = { burst: 1000, qps: 33 };

/** The server side of an HTTP/2 connection (RFC 9113), over a socket that has negotiated it. */
export class Http2Session implements StreamOwner {
  readonly #socket: Duplex;
  readonly #options: Http2SessionOptions;
  readonly #reader = new FrameReader();
  readonly #sender: Http2Sender;
  readonly #writer: FrameWriter;
  readonly #headers: HeaderReader;
  readonly #resets: TokenBucket;
  readonly #streams = new Map<number, Http2Stream>();
  /**
   * Streams with a complete response whose request body is still arriving, unread, until it ends or
   * their place is needed.
   */
  readonly #unread = new Set<number>();
  /** Number of requests with running work, even if the client has cancelled. */
  #running = 0;
  #lastStreamId = 0;
  #receiveWindow: number;
  #unreportedBytes = 0;
  #isClosing = false;
  #hasFailed = false;
  /** Since when there is no request. */
  #idleSinceMs: number;
  #idleTimer: Timer | undefined;
  #lingerTimer: Timer | undefined;

  constructor(socket: Duplex, options: Http2SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#sender = new Http2Sender(socket, (stream) => this.#finish(stream));
    this.#writer = this.#sender.writer;
    this.#headers = new HeaderReader(options.maxHeaderBytes);
    this.#resets = new TokenBucket({ ...resets, clock: options.clock });
    this.#receiveWindow = streamWindowBytes * options.maxStreams;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("close", () => this.#ended());
    socket.on("end", () => socket.destroy());
    this.#writer.hold();
    this.#writer.write(
      settingsFrame([
        [settingIds.maxConcurrentStreams, options.maxStreams],
        [settingIds.initialWindowSize, streamWindowBytes],
        [settingIds.maxHeaderListSize, options.maxHeaderBytes],
      ]),
    );
    this.#grow(0, this.#receiveWindow - defaultWindowBytes);
    this.#writer.release();
    this.#idleSinceMs = options.clock.monotonicMs();
    this.#watchIdleness(idleMs);
  }

  /** Refuses new requests; the connection ends after the active ones. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#goaway(errorCodes.noError);
    if (this.#streams.size === 0) this.#finishClosing();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Checks at intervals: a timer for each request would cost more than most requests. */
  #watchIdleness(afterMs: number): void {
    const { clock } = this.#options;
    const check = (): void => {
      const busy = this.#streams.size > 0;
      const leftMs = busy ? idleMs : this.#idleSinceMs + idleMs - clock.monotonicMs();
      if (leftMs > 0) this.#watchIdleness(leftMs);
      else this.close();
    };
    this.#idleTimer = clock.setTimer(afterMs, check, { keepAlive: false });
  }

  /** See StreamOwner. */
  respond(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void {
    this.#sender.headers(stream, fields, body);
  }

  /** See StreamOwner. */
  send(stream: Http2Stream): void {
    this.#sender.send(stream);
  }

  /** See StreamOwner. */
  consumed(stream: Http2Stream, bytes: number): void {
    this.#returned(bytes);
    stream.unreportedBytes += bytes;
    if (stream.hasAll || stream.unreportedBytes < streamWindowBytes / 2) return;
    stream.receiveWindow += stream.unreportedBytes;
    this.#grow(stream.id, stream.unreportedBytes);
    stream.unreportedBytes = 0;
  }

  /** See StreamOwner. */
  reset(stream: Http2Stream, code: number): void {
    this.#writer.write(numbersFrame(frameTypes.reset, stream.id, code));
    this.#drop(stream);
  }

  /** Bytes returned to the connection's receive window. */
  #returned(bytes: number): void {
    this.#unreportedBytes += bytes;
    const whole = streamWindowBytes * this.#options.maxStreams;
    if (this.#unreportedBytes < whole / 2) return;
    this.#receiveWindow += this.#unreportedBytes;
    this.#grow(0, this.#unreportedBytes);
    this.#unreportedBytes = 0;
  }

  #grow(streamId: number, bytes: number): void {
    if (bytes > 0) this.#writer.write(numbersFrame(frameTypes.windowUpdate, streamId, bytes));
  }

  #receive(chunk: Buffer): void {
    if (this.#hasFailed) return;
    this.#writer.hold();
    try {
      for (const frame of this.#reader.read(chunk)) this.#take(frame);
      if (this.#writer.pendingBytes > unreadBytes) {
        throw new ConnectionError(errorCodes.enhanceYourCalm, "the client doesn't read");
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#writer.release();
  }

  #fail(error: unknown): void {
    this.#isClosing = true;
    this.#hasFailed = true;
    this.#goaway(codeOf(error));
    this.#writer.flush();
    // A client that does not read is disconnected.
    if (this.#writer.isFull) this.#socket.destroy();
    else this.#socket.end(() => this.#socket.destroy());
    this.#linger();
  }

  #goaway(code: number): void {
    this.#writer.write(numbersFrame(frameTypes.goaway, 0, this.#lastStreamId, code));
  }

  #take(frame: Frame): void {
    const { type, streamId, payload } = frame;
    this.#headers.check(frame);
    if (type === frameTypes.data) this.#takeData(frame);
    else if (type === frameTypes.headers) this.#takeHeaders(frame);
    else if (type === frameTypes.continuation) this.#takeFields(frame);
    else if (type === frameTypes.reset) this.#takeReset(streamId);
    else if (type === frameTypes.settings) {
      if (!(frame.flags & flags.ack)) this.#sender.takeSettings(payload, this.#streams);
    } else if (type === frameTypes.windowUpdate) this.#takeWindowUpdate(streamId, payload);
    else if (type === frameTypes.ping) {
      if (!(frame.flags & flags.ack)) this.#writer.write(ackFrame(type, payload));
    } else if (type === frameTypes.pushPromise) {
      throw new ConnectionError(errorCodes.protocolError, "clients don't push");
    }
  }

  #takeHeaders(frame: Frame): void {
    const { streamId } = frame;
    const isOpen = this.#streams.has(streamId) || this.#unread.has(streamId);
    if (streamId % 2 === 0 || (streamId <= this.#lastStreamId && !isOpen)) {
      throw new ConnectionError(errorCodes.protocolError, "a stream has a wrong number");
    }
    this.#takeFields(frame);
  }

  #takeFields(frame: Frame): void {
    const headers = this.#headers.take(frame);
    if (headers) this.#open(headers);
  }

  /** Opens a stream for a request; on an open stream these are trailers, which are ignored. */
  #open({ streamId, fields, endsStream }: Headers): void {
    const present = this.#streams.get(streamId);
    if (present) {
      if (endsStream && !present.hasAll) this.#takeEnd(present);
      return;
    }
    if (this.#unread.delete(streamId) || this.#isClosing) return;
    this.#lastStreamId = streamId;
    const most = this.#options.maxStreams;
    if (this.#streams.size + this.#unread.size >= most) this.#resetUnread();
    const isTooMany = this.#streams.size >= most || this.#running >= most;
    if (isTooMany || !isRequest(fields)) {
      this.#refuse(streamId, isTooMany ? errorCodes.refusedStream : errorCodes.protocolError);
      return;
    }
    const windows = { send: this.#sender.streamWindow, receive: streamWindowBytes };
    const stream = new Http2Stream(this, streamId, fields, windows);
    this.#streams.set(streamId, stream);
    stream.remainingBytes = declaredLength(fields);
    if (endsStream) this.#takeEnd(stream);
    else if (Number.isNaN(stream.remainingBytes)) this.#abuse(stream, errorCodes.protocolError);
    if (stream.isClosed) return;
    this.#running++;
    void this.#options.serve(stream).finally(() => {
      this.#running--;
    });
  }

  /** Resets streams with a complete response whose request is still arriving. */
  #resetUnread(): void {
    for (const streamId of this.#unread) {
      this.#writer.write(numbersFrame(frameTypes.reset, streamId, errorCodes.noError));
      this.#unread.delete(streamId);
      return;
    }
  }

  #refuse(streamId: number, code: number): void {
    this.#countReset();
    this.#writer.write(numbersFrame(frameTypes.reset, streamId, code));
  }

  #countReset(): void {
    if (this.#resets.tryTake()) return;
    throw new ConnectionError(errorCodes.enhanceYourCalm, "too many requests were given up");
  }

  #takeData(frame: Frame): void {
    const { streamId, payload } = frame;
    this.#receiveWindow -= payload.length;
    if (this.#receiveWindow < 0) {
      throw new ConnectionError(errorCodes.flowControlError, "more than the connection takes");
    }
    const stream = this.#streams.get(streamId);
    if (!stream || stream.hasAll) {
      if (streamId === 0 || streamId > this.#lastStreamId) {
        throw new ConnectionError(errorCodes.protocolError, "a body without a request");
      }
      this.#returned(payload.length);
      if (frame.flags & flags.endStream) this.#unread.delete(streamId);
      return;
    }
    stream.receiveWindow -= payload.length;
    if (stream.receiveWindow < 0) {
      this.#abuse(stream, errorCodes.flowControlError);
      return;
    }
    const chunk = unpadded(frame);
    if (payload.length > chunk.length) stream.consumed(payload.length - chunk.length);
    if (stream.remainingBytes !== undefined) stream.remainingBytes -= chunk.length;
    if ((stream.remainingBytes ?? 0) < 0) {
      this.#abuse(stream, errorCodes.protocolError);
      return;
    }
    if (chunk.length > 0) stream.take(chunk);
    if (frame.flags & flags.endStream) this.#takeEnd(stream);
  }

  /** Checks the length of a body: a proxied server relies on it. */
  #takeEnd(stream: Http2Stream): void {
    if ((stream.remainingBytes ?? 0) === 0) stream.takeEnd();
    else this.#abuse(stream, errorCodes.protocolError);
  }

  #abuse(stream: Http2Stream, code: number): void {
    this.#countReset();
    this.reset(stream, code);
  }

  #takeReset(streamId: number): void {
    this.#unread.delete(streamId);
    const stream = this.#streams.get(streamId);
    if (!stream) return;
    this.#countReset();
    this.#drop(stream);
  }

  #takeWindowUpdate(streamId: number, payload: Buffer): void {
    if (payload.length !== 4) {
      throw new ConnectionError(errorCodes.frameSizeError, "a window without a size");
    }
    const bytes = payload.readUInt32BE(0) & 0x7fffffff;
    const stream = this.#streams.get(streamId);
    if (streamId !== 0 && !stream) return;
    const code = this.#sender.widen(stream, bytes);
    if (code === errorCodes.noError) return;
    if (!stream) throw new ConnectionError(code, "no size for a window");
    this.#abuse(stream, code);
  }

  /** The response was sent. */
  #finish(stream: Http2Stream): void {
    stream.onAbort = undefined;
    if (!stream.hasAll) this.#unread.add(stream.id);
    this.#drop(stream);
  }

  #drop(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#sender.drop(stream);
    this.#returned(stream.closed());
    const { onAbort } = stream;
    stream.onAbort = undefined;
    onAbort?.();
    if (this.#streams.size > 0) return;
    this.#idleSinceMs = this.#options.clock.monotonicMs();
    if (this.#isClosing) this.#finishClosing();
  }

  #finishClosing(): void {
    this.#writer.flush();
    this.#socket.end();
    this.#linger();
  }

  #linger(): void {
    this.#lingerTimer ??= this.#options.clock.setTimer(lingerMs, () => this.#socket.destroy(), {
      keepAlive: false,
    });
  }

  #ended(): void {
    this.#isClosing = true;
    // The last stream starts the timer of a connection that closes.
    for (const stream of [...this.#streams.values()]) this.#drop(stream);
    this.#idleTimer?.[Symbol.dispose]();
    this.#lingerTimer?.[Symbol.dispose]();
  }
}

function codeOf(error: unknown): number {
  if (error instanceof ConnectionError) return error.code;
  if (error instanceof HeadersTooLargeError) return errorCodes.enhanceYourCalm;
  return error instanceof HpackError ? errorCodes.compressionError : errorCodes.internalError;
}
