import { Readable } from "node:stream";

/** The connection of a stream. */
export interface StreamOwner {
  /** Sends header fields, with the whole body if it is known. */
  respond(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void;
  /** The stream has data to send. */
  send(stream: Http2Stream): void;
  /** Bytes of the body were consumed, so that more can be received. */
  consumed(stream: Http2Stream, bytes: number): void;
  reset(stream: Http2Stream, code: number): void;
  /** Refuses new requests; the connection ends after the active ones. */
  close(): void;
}

/** Receives a request's body, and reports consumed bytes to the stream. */
export interface BodyReader {
  chunk(chunk: Buffer): void;
  end(): void;
  /** The client has disconnected or cancelled. */
  fail(): void;
}

/** Limit of queued bytes above which a stream is full; until it is below half. */
const fullBytes = 64 * 1024;

/** One request and its response on a multiplexed connection. */
export class Http2Stream {
  readonly id: number;
  /** Names and values alternate, as received. */
  readonly fields: readonly string[];
  /**
   * Called once when the client has disconnected or cancelled before the whole response is sent.
   */
  onAbort: (() => void) | undefined;
  /** Send window (bytes). */
  window: number;
  /** Receive window (bytes). */
  receiveWindow: number;
  /** Remaining bytes of the body, if its length was declared. */
  remainingBytes: number | undefined;
  /** Consumed bytes that are not acknowledged yet. */
  unreportedBytes = 0;
  /** Whether the request is complete. */
  hasAll = false;
  /** Whether the response is complete, or the stream was cancelled. */
  isClosed = false;
  /** Fields to send after the body, set before the end. */
  trailers: readonly string[] | undefined;
  readonly #owner: StreamOwner;
  readonly #received: Buffer[] = [];
  #reader: BodyReader | undefined;
  #readable: Readable | undefined;
  #queue: Uint8Array[] = [];
  /** Sent bytes of the queue's first chunk. */
  #offset = 0;
  #pendingBytes = 0;
  #isEnding = false;
  #onDrain: (() => void)[] = [];

  constructor(owner: StreamOwner, id: number, fields: readonly string[], windows: Windows) {
    this.#owner = owner;
    this.id = id;
    this.fields = fields;
    this.window = windows.send;
    this.receiveWindow = windows.receive;
  }

  /** Begins the response, or sends all of it when the body is given. */
  respond(fields: readonly string[], body?: Uint8Array): void {
    if (this.isClosed) return;
    this.#isEnding = body !== undefined;
    this.#owner.respond(this, fields, body);
  }

  /** False when the client is slow: wait for drained() before writing much more. */
  write(chunk: Uint8Array): boolean {
    if (this.isClosed || this.#isEnding) return false;
    this.enqueue(chunk);
    this.#owner.send(this);
    return this.#pendingBytes < fullBytes;
  }

  /** Ends the response. */
  end(chunk?: Uint8Array): void {
    if (this.isClosed || this.#isEnding) return;
    if (chunk) this.enqueue(chunk);
    this.#isEnding = true;
    this.#owner.send(this);
  }

  /** Cancels the request. */
  reset(code: number): void {
    if (!this.isClosed) this.#owner.reset(this, code);
  }

  /** The whole connection refuses new requests. */
  closeConnection(): void {
    this.#owner.close();
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Whether all data to send is queued. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Resolves when there is room for more, or the stream has ended. */
  drained(): Promise<void> {
    if (this.isClosed || this.#pendingBytes < fullBytes) return Promise.resolve();
    return new Promise((resolve) => this.#onDrain.push(resolve));
  }

  /** Passes the body from its beginning to one reader. */
  receive(reader: BodyReader): void {
    this.#reader = reader;
    for (const chunk of this.#received.splice(0)) reader.chunk(chunk);
    if (this.hasAll) reader.end();
    else if (this.isClosed) reader.fail();
  }

  /** Reports consumed bytes: the client may send as many again. */
  consumed(bytes: number): void {
    if (!this.isClosed) this.#owner.consumed(this, bytes);
  }

  /** The body as a Readable. */
  get readable(): Readable {
    this.#readable ??= this.#makeReadable();
    return this.#readable;
  }

  /** For the connection: bytes of the body have arrived. */
  take(chunk: Buffer): void {
    if (this.#reader) this.#reader.chunk(chunk);
    else this.#received.push(chunk);
  }

  /** For the connection: the request is complete. */
  takeEnd(): void {
    this.hasAll = true;
    this.#reader?.end();
  }

  /** For the connection: the next bytes to send, up to a limit; they count as sent. */
  dequeue(most: number): Uint8Array {
    const chunk = this.#queue[0] ?? noBytes;
    const rest = this.#offset === 0 ? chunk : chunk.subarray(this.#offset);
    const part = rest.length <= most ? rest : rest.subarray(0, most);
    if (part.length === rest.length) {
      this.#queue.shift();
      this.#offset = 0;
    } else this.#offset += part.length;
    this.#pendingBytes -= part.length;
    if (this.#pendingBytes <= fullBytes / 2) this.#wake();
    return part;
  }

  /**
   * For the connection: nothing will be sent or received any more; returns the unconsumed bytes.
   */
  closed(): number {
    this.isClosed = true;
    this.#queue = [];
    this.#pendingBytes = 0;
    this.#wake();
    if (!this.hasAll) this.#reader?.fail();
    return this.#received.reduce((sum, { length }) => sum + length, 0);
  }

  /** For the connection: queues data to send. */
  enqueue(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#queue.push(chunk);
    this.#pendingBytes += chunk.length;
  }

  #wake(): void {
    if (this.#onDrain.length === 0) return;
    for (const resolve of this.#onDrain.splice(0)) resolve();
  }

  /** More data is received only when the previous data was read. */
  #makeReadable(): Readable {
    const waiting: Buffer[] = [];
    let isWanted = false;
    let hasEnded = false;
    const flow = (): void => {
      while (isWanted && waiting.length > 0) {
        const chunk = waiting.shift() ?? noBytes;
        isWanted = readable.push(chunk);
        this.consumed(chunk.length);
      }
      if (isWanted && hasEnded) readable.push(null);
    };
    const readable = new Readable({
      read() {
        isWanted = true;
        flow();
      },
    });
    this.receive({
      chunk(chunk) {
        waiting.push(chunk);
        flow();
      },
      end() {
        hasEnded = true;
        flow();
      },
      fail: () => readable.destroy(new Error("the client has gone")),
    });
    return readable;
  }
}

export interface Windows {
  readonly send: number;
  readonly receive: number;
}

const noBytes = new Uint8Array();
