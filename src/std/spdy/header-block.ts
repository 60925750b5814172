/** The SPDY protocol, draft 3.1, section 2.6.10. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { SpdyError } from "./frames.ts";

export type SpdyHeaders = Readonly<Record<string, string>>;

const words = (
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow " +
  "authorization cache-control connection content-base content-encoding content-language content-length " +
  "content-location content-md5 content-range content-type date etag expect expires from host if-match " +
  "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma " +
  "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade " +
  "user-agent vary via warning www-authenticate method get status"
).split(" ");
const phrases = ["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive"];
const codes =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized" +
  "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable" +
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain," +
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The initial dictionary of both ends' compressors. */
export const dictionary: Buffer = Buffer.concat([
  ...[...words, ...phrases, "origin"].map((word) => lengthPrefixed(word)),
  Buffer.from(codes, "latin1"),
]);

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

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
