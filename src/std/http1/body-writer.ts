import type { Duplex } from "node:stream";

/** Chunks up to this size (bytes) are copied into one write with what precedes them; longer ones are passed on as they are. */
const smallBytes = 8 * 1024;
/** Limit of the text that waits for the end of a turn (characters). */
const maxHeldChars = 64 * 1024;
const resolved = Promise.resolve();

/** Writes a message: its head and small chunks of one turn in one write, and long chunks without a copy. */
export class BodyWriter {
  readonly #socket: Duplex;
  readonly #isChunked: boolean;
  #held = "";

  constructor(socket: Duplex, head: string, isChunked: boolean) {
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#held = head;
    this.#flushSoon();
  }

  /** False if the other end is slow: wait for the socket's drain. */
  write(bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    const size = this.#isChunked ? `${bytes.length.toString(16)}\r\n` : "";
    const end = this.#isChunked ? "\r\n" : "";
    if (bytes.length <= smallBytes) {
      if (this.#held === "") this.#flushSoon();
      this.#held += size + bytes.toString("latin1") + end;
      if (this.#held.length > maxHeldChars) this.#flush();
    } else {
      this.#socket.cork();
      this.#held += size;
      this.#flush();
      this.#socket.write(bytes);
      this.#held = end;
      this.#flush();
      this.#socket.uncork();
    }
    return !this.#socket.writableNeedDrain;
  }

  end(): void {
    if (this.#isChunked) this.#held += "0\r\n\r\n";
    this.#flush();
  }

  /** Other parts of the message may follow in this turn. */
  #flushSoon(): void {
    void resolved.then(() => this.#flush());
  }

  #flush(): void {
    const text = this.#held;
    if (text === "") return;
    this.#held = "";
    if (!this.#socket.destroyed) this.#socket.write(text, "latin1");
  }
}
