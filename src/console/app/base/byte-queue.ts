/** Bytes that arrive, for one reader. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #hasEnded = false;
  #wake = (): void => undefined;

  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wake();
  }

  /** What has arrived is still read. */
  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
