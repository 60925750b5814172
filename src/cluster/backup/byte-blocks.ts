/** Reads a stream of chunks of any size in blocks of a wanted size. */
export class ByteBlocks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #size = 0;
  #hasEnded = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes: fewer than wanted only at the end. */
  async upTo(size: number): Promise<Buffer> {
    while (this.#size < size && (await this.#more())) {
      // Continues until there is enough, or the stream ends.
    }
    const [first = new Uint8Array(), ...others] = this.#waiting;
    const all = others.length === 0 ? bufferOf(first) : Buffer.concat(this.#waiting);
    const rest = all.subarray(size);
    this.#waiting = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return all.subarray(0, size);
  }

  /** Whether nothing is left. */
  async atEnd(): Promise<boolean> {
    while (this.#size === 0 && (await this.#more())) {
      // A chunk may be empty.
    }
    return this.#size === 0;
  }

  /** What is left, as a stream. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.atEnd())) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#size = 0;
      yield* waiting;
    }
  }

  async #more(): Promise<boolean> {
    if (this.#hasEnded) return false;
    const { done, value } = await this.#chunks.next();
    if (done) {
      this.#hasEnded = true;
      return false;
    }
    this.#waiting.push(value);
    this.#size += value.length;
    return true;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
