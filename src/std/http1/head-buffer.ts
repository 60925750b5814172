import { MessageError } from "./message-head.ts";

const headEnd = Buffer.from("\r\n\r\n");
const bareEnd = Buffer.from("\n\n");
const initialBytes = 4096;

/** Collects bytes until the head of a message is complete: each byte is copied and searched once or twice, however it arrives. */
export class HeadBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer | undefined;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a part of a head has arrived. */
  get hasBegun(): boolean {
    return this.#length > 0;
  }

  /**
   * Takes bytes; returns the head, without the empty line at its end, and the bytes that follow it, or undefined while it
   * is incomplete. Throws a MessageError if it is too long.
   */
  push(chunk: Buffer): { readonly text: string; readonly rest: Buffer | undefined } | undefined {
    const bytes = this.#length === 0 ? chunk : this.#join(chunk);
    const from = this.#length === 0 ? 0 : Math.max(this.#length - chunk.length - 3, 0);
    const end = bytes.indexOf(headEnd, from);
    if (end >= 0 && end <= this.#maxBytes) {
      const text = bytes.toString("latin1", 0, end);
      const rest = end + 4 < bytes.length ? bytes.subarray(end + 4) : undefined;
      this.#bytes = undefined;
      this.#length = 0;
      return { text, rest };
    }
    if (end >= 0 || bytes.length > this.#maxBytes) throw new MessageError(431, "fields too large");
    if (bytes.indexOf(bareEnd, from) >= 0) throw new MessageError(400, "lines without CR");
    if (this.#length === 0) this.#join(chunk);
    return undefined;
  }

  #join(chunk: Buffer): Buffer {
    const needed = this.#length + chunk.length;
    if (!this.#bytes || this.#bytes.length < needed) {
      const grown = Buffer.allocUnsafeSlow(Math.max(initialBytes, 2 * needed));
      this.#bytes?.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = needed;
    return this.#bytes.subarray(0, needed);
  }
}
