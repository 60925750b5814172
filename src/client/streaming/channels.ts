/**
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/remotecommand, httpstream/wsstream/conn.go.
 */
import { Duplex } from "node:stream";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { WebSocket } from "#/std/websocket/websocket.ts";

/** The numbers of the channels of exec and attach. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** In version 5: a message whose next byte is the number of the channel that has ended. */
const closeChannel = 255;

export const streamProtocols = {
  v1: "channel.k8s.io",
  v2: "v2.channel.k8s.io",
  v3: "v3.channel.k8s.io",
  v4: "v4.channel.k8s.io",
  v5: "v5.channel.k8s.io",
} as const;

/**
 * Streams over one WebSocket: the first byte of each message is the number of its channel. Both
 * ends use it. Only version 5 can end a single channel.
 */
export class ChannelConnection {
  readonly #socket: WebSocket;
  readonly #endsChannels: boolean;
  readonly #base64: boolean;
  readonly #open = new Map<number, Channel>();
  readonly #ended = Promise.withResolvers<void>();

  /** Only the channels given exist; data of others is dropped. */
  constructor(socket: WebSocket, protocol: string, numbers: readonly number[]) {
    this.#socket = socket;
    this.#endsChannels = protocol === streamProtocols.v5;
    this.#base64 = protocol.startsWith("base64.") || protocol.includes(".base64.");
    for (const number of numbers) {
      const send = (data: Buffer) => this.#send(number, data);
      const end = () => this.#end(number);
      this.#open.set(number, new Channel(send, end));
    }
    void this.#read();
  }

  /** Resolves when the connection has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Throws if the channel was not requested. */
  channel(number: number): Duplex {
    const found = this.#open.get(number);
    if (!found) throw new Error(`there is no channel ${number}`);
    return found;
  }

  /**
   * Sends an empty message on a channel, which shows the peer that the connection is established.
   */
  greet(number: number): Promise<void> {
    return this.#send(number, Buffer.alloc(0));
  }

  close(): void {
    this.#socket.close();
  }

  #send(number: number, data: Buffer): Promise<void> {
    if (this.#base64) return this.#socket.send(`${number}${data.toString("base64")}`);
    return this.#socket.send(Buffer.concat([Buffer.from([number]), data]));
  }

  async #end(number: number): Promise<void> {
    if (this.#endsChannels) await this.#socket.send(Buffer.from([closeChannel, number]));
  }

  async #read(): Promise<void> {
    let failure: unknown;
    try {
      for await (const { data, isText } of this.#socket.messages()) {
        const decoded = this.#base64 && isText ? decodeBase64(data) : data;
        const [number] = decoded;
        if (number === undefined) continue;
        if (number === closeChannel && this.#endsChannels) {
          this.#open.get(decoded[1] ?? -1)?.push(null);
        } else if (decoded.length > 1) {
          await this.#open.get(number)?.receive(decoded.subarray(1));
        }
      }
    } catch (error) {
      failure = error;
    }
    for (const channel of this.#open.values()) channel.hungUp(failure);
    this.#ended.resolve();
  }
}

/** A message whose channel is a digit and whose data is base64. */
function decodeBase64(message: Buffer): Buffer {
  const number = (message[0] ?? 0x30) - 0x30;
  return Buffer.concat([
    Buffer.from([number]),
    Buffer.from(message.toString("latin1", 1), "base64"),
  ]);
}

class Channel extends Duplex {
  readonly #send: (data: Buffer) => Promise<void>;
  readonly #end: () => Promise<void>;
  #onDemand: (() => void) | undefined;

  constructor(send: (data: Buffer) => Promise<void>, end: () => Promise<void>) {
    super({ allowHalfOpen: true, autoDestroy: false });
    this.#send = send;
    this.#end = end;
    this.on("error", () => undefined); // Readers see the error; without one it is not unhandled.
  }

  /** Stores received data; resolves when there is room for more. */
  receive(data: Buffer): MaybePromise<void> {
    if (this.readableEnded || this.destroyed || this.push(data)) return undefined;
    return new Promise((resolve) => {
      this.#onDemand = resolve;
    });
  }

  hungUp(error: unknown): void {
    this.#onDemand?.();
    if (error instanceof Error) this.destroy(error);
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
    // An empty write is only used to learn that all data before it was sent.
    if (chunk.length === 0) done();
    else this.#send(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#end().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#onDemand?.();
    done(error);
  }
}
