import { Readable } from "node:stream";

/** What a stream asks of its connection. */
export interface StreamOwner {
  /** Sends header fields, with the whole body if there is one and it is known. */
  respond(stream: Http2Stream, fields: readonly string[], body: Uint8Array | undefined): void;
  /** There is more to send. */
  send(stream: Http2Stream): void;
  /** So much of the body was taken, so that more may come. */
  consumed(stream: Http2Stream, bytes: number): void;
  reset(stream: Http2Stream, code: number): void;
  /** Takes no more requests; the connection ends with those under way. */
  close(): void;
}

/** Takes a request's body as it comes, and tells the stream what it has consumed. */
export interface BodyReader {
  chunk(chunk: Buffer): void;
  end(): void;
  /** The client has gone, or gave up. */
  fail(): void;
}

/** With so much to send, a stream says that it is full; it says so until half of it is gone. */
const fullBytes = 64 * 1024;

/** One request and its answer on a connection that carries many. */
export class Http2Stream {
  readonly id: number;
  /** Names and values in turn, as they were sent. */
  readonly fields: readonly string[];
  /** Called once when the client has gone, or gives up, before it has the whole answer. */
  onAbort: (() => void) | undefined;
  /** How much the client takes now. */
  window: number;
  /** How much we take now. */
  receiveWindow: number;
  /** How much of the body is still to come, where the request said how long it is. */
  remainingBytes: number | undefined;
  /** Taken, but not yet told. */
  unreportedBytes = 0;
  /** The request's end has come. */
  hasAll = false;
  /** The answer's end was sent, or nobody waits for it. */
  isClosed = false;
  readonly #owner: StreamOwner;
  readonly #received: Buffer[] = [];
  #reader: BodyReader | undefined;
  #readable: Readable | undefined;
  #queue: Uint8Array[] = [];
  /** How much of the queue's first chunk was sent. */
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

  /** Begins the answer, or gives all of it when the body is known. */
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

  /** The answer ends with this. */
  end(chunk?: Uint8Array): void {
    if (this.isClosed || this.#isEnding) return;
    if (chunk) this.enqueue(chunk);
    this.#isEnding = true;
    this.#owner.send(this);
  }

  /** Gives the request up. */
  reset(code: number): void {
    if (!this.isClosed) this.#owner.reset(this, code);
  }

  /** The whole connection takes no more requests. */
  closeConnection(): void {
    this.#owner.close();
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** All that is to be sent has been given to it. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Resolves when there is room for more, or nobody waits for it. */
  drained(): Promise<void> {
    if (this.isClosed || this.#pendingBytes < fullBytes) return Promise.resolve();
    return new Promise((resolve) => this.#onDrain.push(resolve));
  }

  /** The body from its beginning, to one reader. */
  receive(reader: BodyReader): void {
    this.#reader = reader;
    for (const chunk of this.#received.splice(0)) reader.chunk(chunk);
    if (this.hasAll) reader.end();
    else if (this.isClosed) reader.fail();
  }

  /** So much of the body is done with: the client may send as much again. */
  consumed(bytes: number): void {
    if (!this.isClosed) this.#owner.consumed(this, bytes);
  }

  /** The body as a stream of Node's. */
  get readable(): Readable {
    this.#readable ??= this.#makeReadable();
    return this.#readable;
  }

  /** For the connection: bytes of the body have come. */
  take(chunk: Buffer): void {
    if (this.#reader) this.#reader.chunk(chunk);
    else this.#received.push(chunk);
  }

  /** For the connection: the request is complete. */
  takeEnd(): void {
    this.hasAll = true;
    this.#reader?.end();
  }

  /** For the connection: the next bytes to send, at most so many; they count as sent. */
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

  /** For the connection: nothing will be sent or taken any more; says how much was never taken. */
  closed(): number {
    this.isClosed = true;
    this.#queue = [];
    this.#pendingBytes = 0;
    this.#wake();
    if (!this.hasAll) this.#reader?.fail();
    return this.#received.reduce((sum, { length }) => sum + length, 0);
  }

  /** For the connection: to be sent when there is room. */
  enqueue(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#queue.push(chunk);
    this.#pendingBytes += chunk.length;
  }

  #wake(): void {
    if (this.#onDrain.length === 0) return;
    for (const resolve of this.#onDrain.splice(0)) resolve();
  }

  /** More comes from the client only when what has come was read. */
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
