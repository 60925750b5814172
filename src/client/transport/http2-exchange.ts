import { errorCodes } from "#/std/http2/frame.ts";
import type { AnswerFailure, AnswerReader } from "#/std/http2/http2-client.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import type { Headers } from "./transport.ts";

/** The head of a response. */
interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
}

/** A request that ended without a whole response. */
export class Http2Failure extends Error {
  override readonly name = "Http2Failure";
  /** Whether the server may have processed the request. */
  readonly seen: boolean;

  constructor({ reason, seen }: AnswerFailure) {
    super(reason);
    this.seen = seen;
  }
}

/** One request and its response on a multiplexed connection. */
export class Http2Exchange implements AnswerReader {
  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #waiting: Buffer[] = [];
  #stream: Http2Stream | undefined;
  #hasHead = false;
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    // The error also ends the body: its reader gets it.
    this.#head.promise.catch(() => undefined);
  }

  /** Resolves when the head of the response has arrived. */
  get head(): Promise<ResponseHead> {
    return this.#head.promise;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** The request was sent on this stream. */
  begin(stream: Http2Stream): void {
    this.#stream = stream;
    if (this.#end) stream.reset(errorCodes.cancel);
  }

  /** Ends the exchange from our side; does nothing after its end. */
  cancel(error: unknown): void {
    if (this.#end) return;
    this.#stream?.reset(errorCodes.cancel);
    this.#finish(error);
  }

  /** The body as it arrives; leaving the loop cancels the request. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#waiting.shift();
        if (chunk) {
          this.#stream?.consumed(chunk.length);
          yield chunk;
        } else if (this.#end) {
          if (this.#end.error) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.cancel(new Error("the response is not read any more"));
    }
  }

  /** The whole body, as text. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  /** See AnswerReader. */
  takeFields(fields: readonly string[]): void {
    if (this.#hasHead) return; // Trailers.
    const headers: Record<string, string> = {};
    for (let index = 0; index < fields.length; index += 2) {
      const [name = "", value = ""] = [fields[index], fields[index + 1]];
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    const { ":status": status, ...rest } = headers;
    if (status?.startsWith("1")) return; // An interim response.
    this.#hasHead = true;
    this.#head.resolve({ status: Number(status), headers: rest });
  }

  /** See AnswerReader. */
  takeChunk(chunk: Buffer): void {
    if (this.#end) return;
    this.#waiting.push(chunk);
    this.#wake?.();
  }

  /** See AnswerReader. */
  takeEnd(): void {
    this.#finish(undefined);
  }

  /** See AnswerReader. */
  fail(failure: AnswerFailure): void {
    this.#finish(new Http2Failure(failure));
  }

  #finish(error: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#head.reject(error ?? new Http2Failure({ reason: "EOF", seen: true }));
    this.#wake?.();
  }
}
