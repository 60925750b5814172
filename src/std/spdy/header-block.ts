/** The SPDY protocol, draft 3.1, section 2.6.10. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";

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

/** What both ends' compressors know from the beginning. */
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

/** Headers are never longer: this is a limit against who means ill. */
const maxBlockBytes = 1 << 20;

/** Compresses the header blocks of one direction of a connection, in their order. */
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

/** Reads the header blocks of one direction of a connection, in their order. */
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

/** What a stream of zlib gives out until it is done with what it was given. */
function collect(stream: Deflate | Inflate, run: (done: () => void) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const onData = (part: Buffer): void => {
      parts.push(part);
    };
    const onError = (error: Error): void => reject(error);
    stream.on("data", onData);
    stream.once("error", onError);
    run(() => {
      for (let part = stream.read(); part !== null; part = stream.read())
        parts.push(part as Buffer);
      stream.off("data", onData);
      stream.off("error", onError);
      resolve(Buffer.concat(parts));
    });
  });
}

function parseBlock(bytes: Buffer): SpdyHeaders {
  if (bytes.length > maxBlockBytes) throw new Error("spdy: header block is too long");
  const headers: Record<string, string> = {};
  let at = 0;
  const text = (): string => {
    const length = bytes.readUInt32BE(at);
    at += 4 + length;
    return bytes.toString("latin1", at - length, at);
  };
  const count = bytes.readUInt32BE(at);
  at += 4;
  for (let index = 0; index < count; index++) {
    const name = text();
    headers[name] = text().replaceAll("\0", ", ");
  }
  return headers;
}
