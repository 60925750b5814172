import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { SpdyError } from "./frames.ts";
import { dictionary, lengthPrefixed } from "./header-dictionary.ts";

export type SpdyHeaders = Readonly<Record<string, string>>;

/** Limit of a header block (bytes, decompressed): a small frame can hold gigabytes of zeros. */
const maxBlockBytes = 1 << 20;

/** Limit of headers in a block: each costs more memory than it has bytes. Upstream's, of spdystream. */
const maxHeaders = 1000;

/** Compresses the header blocks of one direction of a connection, in order. */
export class HeaderCompressor {
  readonly #deflate: Deflate = createDeflate({ dictionary });

  /** Must not be called again before it has resolved. */
  compress(headers: SpdyHeaders): Promise<Buffer> {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    const pairs = entries.flatMap(([name, value]) => [
      lengthPrefixed(name.toLowerCase()),
      lengthPrefixed(value),
    ]);
    return collect(this.#deflate, (done) => {
      this.#deflate.write(Buffer.concat([count, ...pairs]));
      this.#deflate.flush(constants.Z_SYNC_FLUSH, done);
    });
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** Decompresses the header blocks of one direction of a connection, in order. */
export class HeaderDecompressor {
  readonly #inflate: Inflate = createInflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });

  /** Must not be called again before it has resolved. */
  async decompress(block: Uint8Array): Promise<SpdyHeaders> {
    const bytes = await collect(this.#inflate, (done) => {
      this.#inflate.write(block, () => this.#inflate.flush(constants.Z_SYNC_FLUSH, done));
    });
    return parseBlock(bytes);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** The output of a zlib stream for the given input. Throws SpdyError. */
function collect(stream: Deflate | Inflate, run: (done: () => void) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (part: Buffer): void => {
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes > maxBlockBytes) stream.destroy(new Error("header block is too long"));
    };
    const onError = ({ message }: Error): void => reject(new SpdyError(`spdy: ${message}`));
    // A permanent listener: an error between two blocks must not end the process.
    if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
    stream.on("data", onData);
    stream.once("error", onError);
    const onClose = (): void => reject(new SpdyError("spdy: the connection is closed"));
    stream.once("close", onClose);
    run(() => {
      stream.off("data", onData);
      stream.off("error", onError).off("close", onClose);
      resolve(Buffer.concat(parts));
    });
  });
}

function parseBlock(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new SpdyError("spdy: header block is cut off");
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > bytes.length) throw new SpdyError("spdy: header block is cut off");
    at += length;
    return bytes.toString("latin1", at - length, at);
  };
  const count = number();
  if (count > maxHeaders) throw new SpdyError("spdy: header block has too many headers");
  for (let left = count; left > 0; left--) headers.set(text(), text().replaceAll("\0", ", "));
  return Object.fromEntries(headers);
}
