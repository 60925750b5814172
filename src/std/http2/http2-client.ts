import type { Duplex } from "node:stream";
import { type Clock, nextTurn, type Timer } from "../time/clock.ts";
import {
  ackFrame,
  ConnectionError,
  defaultWindowBytes,
  errorCodes,
  type Frame,
  flags,
  frameTypes,
  maxWindowBytes,
  numbersFrame,
  preface,
  settingIds,
  settingsFrame,
  unpadded,
} from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { HeaderReader } from "./header-reader.ts";
import { Http2Sender } from "./http2-sender.ts";
import { Http2Stream, type StreamOwner, type Windows } from "./http2-stream.ts";
import { isResponse } from "./response-fields.ts";

export interface Http2ClientOptions {
  readonly clock: Clock;
  /** Receive window of one response (bytes). */
  readonly windowBytes: number;
  /** Limit of one response's header fields (bytes). */
  readonly maxHeaderBytes: number;
  /**
   * While responses are awaited: idle time before a ping, and limit of its response time, after
   * which the connection ends.
   */
  readonly keepalive?: { readonly afterMs: number; readonly timeoutMs: number } | undefined;
  /** Called when the server's settings have arrived: requests can be sent. */
  readonly onReady: () => void;
  /** Called once when no more requests can be sent; active ones may continue. */
  readonly onClosing: (reason: string) => void;
}

/** Receives a response, and reports consumed bytes to the stream. */
export interface AnswerReader {
  /** Names and values alternate; the second call has the trailers. */
  takeFields(fields: readonly string[]): void;
  takeChunk(chunk: Buffer): void;
  takeEnd(): void;
  /** The response ends here with an error. */
  fail(failure: AnswerFailure): void;
}

export interface AnswerFailure {
  readonly reason: string;
  /** Whether the server may have processed the request. */
  readonly seen: boolean;
  /** The error code of the server's reset, if any. */
  readonly code?: number;
}

class ClientStream extends Http2Stream {
  readonly answer: AnswerReader;

  constructor(owner: StreamOwner, id: number, windows: Windows, answer: AnswerReader) {
    super(owner, id, [], windows);
    this.answer = answer;
  }
}

/** The client side of an HTTP/2 connection (RFC 9113), over a socket that has negotiated it. */
export class Http2Client implements StreamOwner {
  readonly #socket: Duplex;
  readonly #options: Http2ClientOptions;
  readonly #reader = new FrameReader(true);
  readonly #sender: Http2Sender;
  readonly #writer: FrameWriter;
  readonly #headers: HeaderReader;
  readonly #streams = new Map<number, ClientStream>();
  #nextStreamId = 1;
  #maxStreams = Number.POSITIVE_INFINITY;
  #unreportedBytes = 0;
  #isReady = false;
  #isClosing = false;
  #isFlushing = false;
  #heardAtMs = 0;
  #keepaliveTimer: Timer | undefined;
  /** Called when a stream has ended. */
  onFreed: (() => void) | undefined;

  constructor(socket: Duplex, options: Http2ClientOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#sender = new Http2Sender(socket, () => undefined);
    this.#writer = this.#sender.writer;
    this.#headers = new HeaderReader(options.maxHeaderBytes);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#ended(error.message));
    socket.on("close", () => this.#ended("the connection has ended"));
    socket.on("end", () => socket.destroy());
    const settings = settingsFrame([
      [settingIds.enablePush, 0],
      [settingIds.initialWindowSize, options.windowBytes],
      [settingIds.maxHeaderListSize, options.maxHeaderBytes],
    ]);
    // Back-pressure is per stream: a slow reader must not stop others.
    const widened = maxWindowBytes - defaultWindowBytes;
    const window = numbersFrame(frameTypes.windowUpdate, 0, widened);
    this.#writer.write(Buffer.concat([preface, settings, window]));
  }

  /** Number of active requests. */
  get size(): number {
    return this.#streams.size;
  }

  /** Whether the server accepts one more request now. */
  get hasRoom(): boolean {
    return this.#isReady && !this.#isClosing && this.#streams.size < this.#maxStreams;
  }

  /** Sends a request, optionally with its whole body. Only while there is room. */
  request(
    fields: readonly string[],
    body: Uint8Array | undefined,
    answer: AnswerReader,
  ): Http2Stream {
    const windows = { send: this.#sender.streamWindow, receive: this.#options.windowBytes };
    const stream = new ClientStream(this, this.#nextStreamId, windows, answer);
    this.#nextStreamId += 2;
    this.#streams.set(stream.id, stream);
    if (this.#streams.size === 1) this.#watchSilence();
    if (this.#nextStreamId > lastStreamId) this.#beginClosing("the connection is used up");
    stream.respond(fields, body);
    return stream;
  }

  /** Refuses new requests; the connection ends after the active ones. */
  close(): void {
    this.#beginClosing("the connection was closed");
    if (this.#streams.size === 0) this.#finishClosing();
  }

  /** See StreamOwner: for a client it sends the request. */
  respond(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void {
    this.#joinWrites();
    this.#sender.headers(stream, fields, body);
  }

  /** See StreamOwner. */
  send(stream: Http2Stream): void {
    this.#joinWrites();
    this.#sender.send(stream);
  }

  /** See StreamOwner. */
  consumed(stream: Http2Stream, bytes: number): void {
    stream.unreportedBytes += bytes;
    if (stream.hasAll || stream.unreportedBytes < this.#options.windowBytes / 2) return;
    stream.receiveWindow += stream.unreportedBytes;
    this.#joinWrites();
    this.#writer.write(numbersFrame(frameTypes.windowUpdate, stream.id, stream.unreportedBytes));
    stream.unreportedBytes = 0;
  }

  /** See StreamOwner. */
  reset(stream: Http2Stream, code: number): void {
    this.#joinWrites();
    this.#writer.write(numbersFrame(frameTypes.reset, stream.id, code));
    this.#drop(stream);
  }

  /** Requests of one turn of the event loop are joined into one write. */
  #joinWrites(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#writer.hold();
    void nextTurn().then(() => {
      this.#isFlushing = false;
      this.#writer.release();
    });
  }

  #receive(chunk: Buffer): void {
    this.#heardAtMs = this.#options.clock.monotonicMs();
    try {
      for (const frame of this.#reader.read(chunk)) this.#take(frame);
    } catch (error) {
      this.#ended(`the server broke the protocol: ${(error as Error).message}`);
      this.#socket.destroy();
    }
  }

  #take(frame: Frame): void {
    const { type, streamId, payload } = frame;
    this.#headers.check(frame);
    if (type === frameTypes.data) this.#takeData(frame);
    else if (type === frameTypes.headers || type === frameTypes.continuation) {
      this.#takeFields(frame);
    } else if (type === frameTypes.reset) this.#takeReset(streamId, payload.readUInt32BE(0));
    else if (type === frameTypes.settings) this.#takeSettings(frame);
    else if (type === frameTypes.windowUpdate) this.#takeWindowUpdate(streamId, payload);
    else if (type === frameTypes.ping) {
      if (frame.flags & flags.ack) return;
      this.#joinWrites();
      this.#writer.write(ackFrame(type, payload));
    } else if (type === frameTypes.goaway) this.#takeGoaway(payload);
    else if (type === frameTypes.pushPromise) {
      throw new ConnectionError(errorCodes.protocolError, "server push is not enabled");
    }
  }

  #takeFields(frame: Frame): void {
    const headers = this.#headers.take(frame);
    const stream = headers && this.#streams.get(headers.streamId);
    if (!stream) return;
    if (!isResponse(headers.fields)) {
      this.reset(stream, errorCodes.protocolError);
      stream.answer.fail({ reason: "a malformed response", seen: true });
      return;
    }
    stream.answer.takeFields(headers.fields);
    if (headers.endsStream) this.#takeEnd(stream);
  }

  #takeData(frame: Frame): void {
    const { payload } = frame;
    this.#returned(payload.length);
    const stream = this.#streams.get(frame.streamId);
    if (!stream) return;
    stream.receiveWindow -= payload.length;
    if (stream.receiveWindow < 0) {
      throw new ConnectionError(errorCodes.flowControlError, "more than the stream takes");
    }
    const chunk = unpadded(frame);
    if (payload.length > chunk.length) this.consumed(stream, payload.length - chunk.length);
    if (chunk.length > 0) stream.answer.takeChunk(chunk);
    if (frame.flags & flags.endStream) this.#takeEnd(stream);
  }

  /** Bytes returned to the connection's receive window. */
  #returned(bytes: number): void {
    this.#unreportedBytes += bytes;
    if (this.#unreportedBytes < maxWindowBytes / 2) return;
    this.#writer.write(numbersFrame(frameTypes.windowUpdate, 0, this.#unreportedBytes));
    this.#unreportedBytes = 0;
  }

  /** The response is complete; the rest of the request is not sent. */
  #takeEnd(stream: ClientStream): void {
    if (stream.isClosed) return;
    stream.hasAll = true;
    if (!stream.isEnding || stream.pendingBytes > 0) this.reset(stream, errorCodes.cancel);
    else this.#drop(stream);
    stream.answer.takeEnd();
  }

  #takeReset(streamId: number, code: number): void {
    const stream = this.#streams.get(streamId);
    if (!stream) return;
    this.#drop(stream);
    const seen = code !== errorCodes.refusedStream;
    stream.answer.fail({ reason: `the server gave the request up (code ${code})`, seen, code });
  }

  #takeSettings({ flags: frameFlags, payload }: Frame): void {
    if (frameFlags & flags.ack) return;
    this.#sender.takeSettings(payload, this.#streams);
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== settingIds.maxConcurrentStreams) continue;
      this.#maxStreams = payload.readUInt32BE(at + 2);
    }
    if (this.#isReady) this.onFreed?.();
    else {
      this.#isReady = true;
      this.#options.onReady();
    }
  }

  #takeWindowUpdate(streamId: number, payload: Buffer): void {
    const stream = this.#streams.get(streamId);
    if (streamId !== 0 && !stream) return;
    const code = this.#sender.widen(stream, payload.readUInt32BE(0) & maxWindowBytes);
    if (code !== errorCodes.noError) throw new ConnectionError(code, "no size for a window");
  }

  #takeGoaway(payload: Buffer): void {
    const lastSeenId = payload.readUInt32BE(0) & maxWindowBytes;
    const reason = payload.toString("latin1", 8) || "the server goes away";
    this.#beginClosing(reason);
    for (const stream of [...this.#streams.values()]) {
      if (stream.id <= lastSeenId) continue;
      this.#drop(stream);
      stream.answer.fail({ reason, seen: false });
    }
  }

  #drop(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#sender.drop(stream);
    stream.closed();
    if (this.#isClosing && this.#streams.size === 0) this.#finishClosing();
    this.onFreed?.();
  }

  #beginClosing(reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#options.onClosing(reason);
  }

  #finishClosing(): void {
    this.#writer.flush();
    this.#socket.end(() => this.#socket.destroy());
  }

  #ended(reason: string): void {
    this.#beginClosing(reason);
    this.#keepaliveTimer?.cancel();
    for (const stream of [...this.#streams.values()]) {
      this.#drop(stream);
      stream.answer.fail({ reason, seen: true });
    }
  }

  #watchSilence(): void {
    const { keepalive, clock } = this.#options;
    if (!keepalive || this.#keepaliveTimer) return;
    this.#heardAtMs = clock.monotonicMs();
    this.#checkAfter(keepalive.afterMs);
  }

  /** Checks at intervals: a timer for each request would cost more than most requests. */
  #checkAfter(ms: number): void {
    const { keepalive, clock } = this.#options;
    if (!keepalive) return;
    const check = (): void => {
      this.#keepaliveTimer = undefined;
      if (this.#streams.size === 0) return;
      const leftMs = this.#heardAtMs + keepalive.afterMs - clock.monotonicMs();
      if (leftMs > 0) this.#checkAfter(leftMs);
      else this.#ping(keepalive.timeoutMs);
    };
    this.#keepaliveTimer = clock.setTimer(ms, check, { keepAlive: false });
  }

  #ping(timeoutMs: number): void {
    const { clock } = this.#options;
    const askedAtMs = clock.monotonicMs();
    this.#writer.write(numbersFrame(frameTypes.ping, 0, 0, 0));
    const check = (): void => {
      this.#keepaliveTimer = undefined;
      if (this.#heardAtMs >= askedAtMs) {
        if (this.#streams.size > 0) this.#watchSilence();
        return;
      }
      this.#ended("the server doesn't answer a ping");
      this.#socket.destroy();
    };
    this.#keepaliveTimer = clock.setTimer(timeoutMs, check, { keepAlive: false });
  }
}

const lastStreamId = 2 ** 31 - 1;
