/** RFC 6455. */
import type { Duplex } from "node:stream";
import { encodeFrame, FrameDecoder, opcodes, ProtocolError } from "./frames.ts";

interface WebSocketOptions {
  /** Clients mask their frames, servers do not; each end refuses other frames. */
  readonly role: "client" | "server";
  /** Bytes that arrived after the head of the response or request. */
  readonly head?: Uint8Array;
  /** Limit of a message; longer ones end the connection. Default 32 MiB. */
  readonly maxMessageBytes?: number;
}

interface Message {
  readonly isText: boolean;
  readonly data: Buffer;
}

const defaultMaxMessageBytes = 32 * 1024 * 1024;
const normalClosure = 1000;
const protocolFailure = 1002;
const tooBig = 1009;

/** One end of a WebSocket, after the handshake. */
export class WebSocket {
  readonly #socket: Duplex;
  readonly #masked: boolean;
  readonly #head: Uint8Array;
  readonly #maxBytes: number;
  #closing = false;

  constructor(socket: Duplex, { role, head, maxMessageBytes }: WebSocketOptions) {
    this.#socket = socket;
    this.#masked = role === "client";
    this.#head = head ?? new Uint8Array();
    this.#maxBytes = maxMessageBytes ?? defaultMaxMessageBytes;
    socket.setMaxListeners(0); // Each message that waits for room has a listener.
    socket.on("error", () => socket.destroy()); // The reader of messages() sees the end.
  }

  /** Sends a message: binary unless it is a string. Resolves when there is room for more. */
  async send(data: Uint8Array | string): Promise<void> {
    const isText = typeof data === "string";
    const payload = isText ? Buffer.from(data) : data;
    await this.#write(isText ? opcodes.text : opcodes.binary, payload);
  }

  /** Sends a ping. */
  async ping(): Promise<void> {
    await this.#write(opcodes.ping, new Uint8Array());
  }

  /**
   * Messages until either end closes; data is only read on demand. Throws a ProtocolError if the
   * peer disconnects without a close frame, or violates the protocol: then a close frame with the
   * reason is sent.
   */
  async *messages(): AsyncGenerator<Message> {
    try {
      yield* this.#messages();
    } catch (error) {
      if (error instanceof ProtocolError) this.close(protocolFailure);
      throw error;
    }
    if (!this.#closing) {
      throw new ProtocolError("websocket: close 1006 (abnormal closure): unexpected EOF");
    }
  }

  async *#messages(): AsyncGenerator<Message> {
    const decoder = new FrameDecoder(this.#maxBytes, { masked: !this.#masked });
    let partial: PartialMessage | undefined;
    for await (const chunk of this.#chunks()) {
      for (const { opcode, final, payload } of decoder.push(chunk)) {
        if (opcode === opcodes.close) {
          this.close();
          return;
        }
        if (opcode === opcodes.ping) await this.#write(opcodes.pong, payload);
        if (opcode >= opcodes.close) continue;
        if ((opcode === opcodes.continuation) !== (partial !== undefined)) throw outOfOrder();
        partial ??= new PartialMessage(opcode === opcodes.text);
        partial.add(payload);
        this.#checkSize(partial);
        if (!final) continue;
        const message = partial.message();
        partial = undefined;
        yield message;
      }
    }
  }

  /** Sends a close frame, then closes the connection. */
  close(code = normalClosure, reason = ""): void {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    if (!this.#socket.writable) return;
    this.#socket.end(encodeFrame(opcodes.close, payload, { masked: this.#masked }));
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    if (this.#head.length > 0) yield this.#head;
    try {
      const options = { destroyOnReturn: false };
      yield* this.#socket.iterator(options) as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (!this.#closing && !isHangUp(error)) throw error;
    }
  }

  #checkSize({ sizeBytes }: PartialMessage): void {
    if (sizeBytes <= this.#maxBytes) return;
    this.close(tooBig, "message is too long");
    throw new ProtocolError("websocket: message is too long");
  }

  #write(opcode: number, payload: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (this.#closing || !socket.writable) return Promise.resolve();
    if (socket.write(encodeFrame(opcode, payload, { masked: this.#masked }))) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const done = () => {
        socket.off("drain", done);
        socket.off("close", done);
        resolve();
      };
      socket.on("drain", done);
      socket.on("close", done);
    });
  }
}

const outOfOrder = (): ProtocolError => new ProtocolError("websocket: frames are out of order");

/**
 * Number of fragments that are joined at once: a message of one-byte fragments must not need a
 * hundred times its size.
 */
const joinedFragments = 1024;

/** A message whose last fragment has not arrived. */
class PartialMessage {
  readonly #isText: boolean;
  readonly #joined: Buffer[] = [];
  #recent: Buffer[] = [];
  sizeBytes = 0;

  constructor(isText: boolean) {
    this.#isText = isText;
  }

  add(payload: Buffer): void {
    if (payload.length === 0) return;
    this.sizeBytes += payload.length;
    this.#recent.push(payload);
    if (this.#recent.length < joinedFragments) return;
    this.#joined.push(Buffer.concat(this.#recent));
    this.#recent = [];
  }

  message(): Message {
    const parts = [...this.#joined, ...this.#recent];
    const [first] = parts;
    const data = parts.length === 1 && first ? first : Buffer.concat(parts, this.sizeBytes);
    return { isText: this.#isText, data };
  }
}

const isHangUp = (error: unknown): boolean =>
  ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
