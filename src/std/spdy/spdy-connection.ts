/**
 * The SPDY protocol, draft 3.1, as used by Kubernetes: streams in both directions, without flow
 * control, as in its other implementation. Upstream: github.com/moby/spdystream.
 */

import { Duplex } from "node:stream";
import type { MaybePromise } from "../base/maybe-promise.ts";
import {
  controlFrame,
  dataFrame,
  flagFin,
  frameTypes,
  type SpdyFrame,
  SpdyFrameDecoder,
  words,
} from "./frames.ts";
import { HeaderCompressor, HeaderDecompressor, type SpdyHeaders } from "./header-block.ts";

interface SpdyOptions {
  /** Streams of clients have odd numbers, those of servers even ones. */
  readonly role: "client" | "server";
  /** Bytes that arrived after the head of the response or request. */
  readonly head?: Uint8Array;
  /** Handles the streams that the peer opens; without it they are refused. */
  readonly onStream?: (stream: SpdyStream) => void;
  /** Limit of the peer's open streams; more are refused. Default 4096. */
  readonly maxStreams?: number;
}

const protocolError = 1;
const refusedStream = 3;
const cancelled = 5;
const streamIdMask = 0x7fffffff;
/** Limit of a frame (bytes): streams take turns. */
const maxFrameBytes = 64 * 1024;
/** Limit of the peer's open streams: a port-forward has two for each connection. */
const defaultMaxStreams = 4096;

/** One end of a SPDY connection. */
export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #options: SpdyOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #compressor = new HeaderCompressor();
  readonly #decompressor = new HeaderDecompressor();
  readonly #ended = Promise.withResolvers<void>();
  /** Frames with headers must be sent in the order of their compression. */
  #lastHeaders: Promise<unknown> = Promise.resolve();
  #nextId: number;
  /** Least number of the peer's next stream. */
  #nextAccepted: number;
  #acceptedOpen = 0;

  constructor(socket: Duplex, options: SpdyOptions) {
    this.#socket = socket;
    this.#options = options;
    [this.#nextId, this.#nextAccepted] = options.role === "client" ? [1, 2] : [2, 1];
    socket.setMaxListeners(0); // Each stream that waits for room has a listener.
    socket.on("error", () => socket.destroy()); // The streams end when reading ends.
    void this.#read();
  }

  /** Resolves when the connection has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Opens a stream; resolves when the peer has accepted it. */
  async openStream(headers: SpdyHeaders): Promise<SpdyStream> {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.#add(id, headers);
    await this.#sendHeaders(frameTypes.synStream, 0, [words(id, 0), Buffer.from([0, 0])], headers);
    await stream.replied;
    return stream;
  }

  /** Ends all streams, and closes the connection. */
  close(): void {
    const socket = this.#socket;
    if (socket.writable) {
      socket.end(controlFrame(frameTypes.goAway, 0, words(0, 0)), () => socket.destroy());
    } else socket.destroy();
    this.#finish(undefined);
  }

  /** Sends data on a stream; calls back when there is room for more. */
  send(id: number, data: Uint8Array, flags: number, done: (error?: Error | null) => void): void {
    const socket = this.#socket;
    if (!socket.writable) {
      done(new Error("the connection is closed"));
      return;
    }
    let room = true;
    for (let at = 0; at < data.length || at === 0; at += maxFrameBytes) {
      const part = data.subarray(at, at + maxFrameBytes);
      const last = at + maxFrameBytes >= data.length;
      room = socket.write(dataFrame(id, last ? flags : 0, part));
    }
    if (room) {
      done();
      return;
    }
    const proceed = (): void => {
      socket.off("drain", proceed);
      socket.off("close", proceed);
      done();
    };
    socket.on("drain", proceed);
    socket.on("close", proceed);
  }

  /** Resets a stream, unless the peer has. */
  reset(id: number): void {
    if (this.forget(id) && this.#socket.writable) this.#sendReset(id, cancelled);
  }

  /** Drops a stream that both ends have ended; false if it was dropped before. */
  forget(id: number): boolean {
    if (!this.#streams.delete(id)) return false;
    if (this.#isAccepted(id)) this.#acceptedOpen--;
    return true;
  }

  #sendReset(id: number, status: number): void {
    this.#socket.write(controlFrame(frameTypes.rstStream, 0, words(id, status)));
  }

  /** Whether the peer opens streams with this number. */
  #isAccepted(id: number): boolean {
    return (id & 1) === (this.#options.role === "client" ? 0 : 1);
  }

  #add(id: number, headers: SpdyHeaders): SpdyStream {
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    if (this.#isAccepted(id)) this.#acceptedOpen++;
    return stream;
  }

  #sendHeaders(
    type: number,
    flags: number,
    start: readonly Uint8Array[],
    headers: SpdyHeaders,
  ): Promise<void> {
    const sent = this.#lastHeaders.then(async () => {
      const block = await this.#compressor.compress(headers);
      if (!this.#socket.writable) throw new Error("the connection is closed");
      this.#socket.write(controlFrame(type, flags, Buffer.concat([...start, block])));
    });
    this.#lastHeaders = sent.catch(() => undefined);
    return sent;
  }

  async #read(): Promise<void> {
    const decoder = new SpdyFrameDecoder();
    const { head = new Uint8Array() } = this.#options;
    try {
      for (const frame of decoder.push(head)) await this.#handle(frame);
      const chunks = this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      for await (const chunk of chunks) {
        for (const frame of decoder.push(chunk)) await this.#handle(frame);
      }
      this.#finish(undefined);
    } catch (error) {
      this.#finish(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (frame.kind === "data") return this.#streams.get(frame.streamId)?.receive(frame);
    const { type, flags, body } = frame;
    const id = body.length >= 4 ? body.readUInt32BE(0) & streamIdMask : 0;
    switch (type) {
      case frameTypes.synStream:
        return this.#accept(id, flags, await this.#decompressor.decompress(body.subarray(10)));
      case frameTypes.synReply:
        await this.#decompressor.decompress(body.subarray(4));
        return this.#streams.get(id)?.agree(flags);
      case frameTypes.headers:
        await this.#decompressor.decompress(body.subarray(4));
        return;
      case frameTypes.rstStream: {
        const stream = this.#streams.get(id);
        this.forget(id);
        stream?.refuse(body.length >= 8 ? body.readUInt32BE(4) : 0);
        return;
      }
      case frameTypes.ping:
        // Ping numbers are divided as stream numbers are; only the peer's are answered.
        if (this.#isAccepted(id)) {
          this.#socket.write(controlFrame(frameTypes.ping, 0, words(id)));
        }
    }
  }

  async #accept(id: number, flags: number, headers: SpdyHeaders): Promise<void> {
    const { onStream, maxStreams = defaultMaxStreams } = this.#options;
    if (!this.#isAccepted(id) || id < this.#nextAccepted) return this.#sendReset(id, protocolError);
    this.#nextAccepted = id + 2;
    if (!onStream || this.#acceptedOpen >= maxStreams) return this.#sendReset(id, refusedStream);
    const stream = this.#add(id, headers);
    await this.#sendHeaders(frameTypes.synReply, 0, [words(id)], {});
    stream.agree(flags);
    onStream(stream);
  }

  #finish(error: Error | undefined): void {
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of streams) stream.hungUp(error);
    this.#compressor.close();
    this.#decompressor.close();
    this.#ended.resolve();
  }
}

/** One stream of a connection. Ending it ends our side; the peer may continue. */
export class SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
  readonly #connection: SpdyConnection;
  readonly #id: number;
  readonly #agreed = Promise.withResolvers<void>();
  /** Called when received data has been read. */
  #onDemand: (() => void) | undefined;

  constructor(connection: SpdyConnection, id: number, headers: SpdyHeaders) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.#connection = connection;
    this.#id = id;
    this.#agreed.promise.catch(() => undefined); // The opener of the stream sees the rejection in replied.
    this.on("error", () => undefined); // A refused stream ends; no listener is needed.
  }

  /** Resolves when the peer has accepted the stream. */
  get replied(): Promise<void> {
    return this.#agreed.promise;
  }

  agree(flags: number): void {
    this.#agreed.resolve();
    if (flags & flagFin) this.push(null);
  }

  refuse(status: number): void {
    const error = new Error(`the stream was reset (status ${status})`);
    this.#agreed.reject(error);
    // Data received before can still be read.
    if (this.readableLength > 0) this.push(null);
    else this.destroy(error);
  }

  /**
   * Buffers data; resolves when there is room for more, so that a slow reader slows the whole
   * connection.
   */
  receive({ body, flags }: { readonly body: Buffer; readonly flags: number }): MaybePromise<void> {
    const room = body.length === 0 || this.push(body);
    if (flags & flagFin) this.push(null);
    if (room || this.destroyed || flags & flagFin) return;
    return new Promise((resolve) => {
      this.#onDemand = resolve;
    });
  }

  hungUp(error: Error | undefined): void {
    this.#agreed.reject(error ?? new Error("the connection is closed"));
    this.#onDemand?.();
    if (error && this.readableLength === 0) this.destroy(error);
    else if (!this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#onDemand?.();
    this.#onDemand = undefined;
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#connection.send(this.#id, chunk, 0, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#connection.send(this.#id, new Uint8Array(), flagFin, () => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#onDemand?.();
    if (this.readableEnded && this.writableFinished) this.#connection.forget(this.#id);
    else this.#connection.reset(this.#id);
    done(error);
  }
}
