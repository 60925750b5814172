import { findField } from "#/std/http1/fields.ts";
import { errorCodes } from "#/std/http2/frame.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import type { ClientConnection, ClientExchange, RequestReader } from "./exchange.ts";

/** A request over HTTP/2, and its response. */
export class Http2Exchange implements ClientExchange {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly fields: readonly string[];
  readonly hasBody: boolean;
  readonly isUpgrade = false;
  readonly connection: ClientConnection;
  hasBegun = false;
  onDrain: (() => void) | undefined;
  onGone: (() => void) | undefined;
  readonly #stream: Http2Stream;
  readonly #done: () => void;
  #isHeld = false;
  /** Bytes that were passed on while more must not come. */
  #heldBytes = 0;

  constructor(stream: Http2Stream, connection: ClientConnection, done: () => void) {
    const { fields } = stream;
    this.#stream = stream;
    this.#done = done;
    this.method = findField(fields, ":method") ?? "GET";
    this.target = findField(fields, ":path") ?? "/";
    this.host = findField(fields, ":authority") ?? findField(fields, "host") ?? "";
    this.fields = joinCookies(fields);
    this.hasBody = !stream.hasAll;
    this.connection = connection;
    stream.onAbort = () => {
      this.onGone?.();
      done();
    };
  }

  receive(reader: RequestReader): void {
    this.#stream.receive({
      chunk: (bytes) => {
        reader.chunk(bytes);
        if (this.#isHeld) this.#heldBytes += bytes.length;
        else this.#stream.consumed(bytes.length);
      },
      end: () => reader.end(),
      fail: () => reader.fail(),
    });
  }

  pause(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    if (this.#heldBytes > 0) this.#stream.consumed(this.#heldBytes);
    this.#heldBytes = 0;
  }

  begin(status: number, fields: readonly string[]): void {
    this.hasBegun = true;
    this.#stream.respond([":status", String(status), ...fields]);
  }

  write(bytes: Buffer): boolean {
    if (this.#stream.isClosed || this.#stream.write(bytes)) return true;
    this.#stream.drained().then(() => this.onDrain?.());
    return false;
  }

  end(trailers?: readonly string[]): void {
    if (trailers && trailers.length > 0) this.#stream.trailers = trailers;
    this.#stream.end();
    this.#done();
  }

  abort(): void {
    this.#stream.reset(errorCodes.internalError);
    this.#done();
  }

  /** HTTP/1.1 alone has this. */
  switchProtocol(): undefined {
    this.abort();
  }
}

/** Cookies may be split in HTTP/2; HTTP/1.1 has one field (RFC 9113, section 8.2.3). */
function joinCookies(fields: readonly string[]): readonly string[] {
  const cookies: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (name === "cookie") cookies.push(value);
    else rest.push(name, value);
  }
  return cookies.length > 1 ? [...rest, "cookie", cookies.join("; ")] : fields;
}
