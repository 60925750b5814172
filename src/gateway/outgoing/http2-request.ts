import { findField } from "#/std/http1/fields.ts";
import { errorCodes } from "#/std/http2/frame.ts";
import type { Http2Client, AnswerFailure as StreamFailure } from "#/std/http2/http2-client.ts";
import type { Http2Stream } from "#/std/http2/http2-stream.ts";
import type { AnswerReader, Outgoing, OutgoingRequest } from "./answer.ts";

const noBytes = new Uint8Array();

/** A request to a backend over HTTP/2, which may still wait for the connection. */
export class Http2Request implements Outgoing {
  readonly #request: OutgoingRequest;
  readonly #scheme: "http" | "https";
  #answer: AnswerReader | undefined;
  #stream: Http2Stream | undefined;
  #onReady: (() => void) | undefined;
  #hasHead = false;
  #trailers: readonly string[] = [];
  #isHeld = false;
  #heldBytes = 0;
  onDrain: (() => void) | undefined;

  constructor(request: OutgoingRequest, answer: AnswerReader, scheme: "http" | "https") {
    this.#request = request;
    this.#scheme = scheme;
    this.#answer = answer;
  }

  /** Whether the response is no longer awaited. */
  get isCancelled(): boolean {
    return this.#answer === undefined;
  }

  /** Sends the request on a connection that has room. */
  start(client: Http2Client): void {
    const { method, path, fields, hasBody } = this.#request;
    const host = findField(fields, "host") ?? "";
    const own = [":method", method, ":scheme", this.#scheme, ":path", path, ":authority", host];
    for (let at = 0; at < fields.length; at += 2) {
      if (fields[at] !== "host") own.push(fields[at] ?? "", fields[at + 1] ?? "");
    }
    // Without it a gRPC server refuses a call: it can't end with a status.
    own.push("te", "trailers");
    this.#stream = client.request(own, hasBody ? undefined : noBytes, {
      takeFields: (received) => this.#takeFields(received),
      takeChunk: (bytes) => this.#takeChunk(bytes),
      takeEnd: () => this.#takeEnd(),
      fail: (failure) => this.#takeFailure(failure),
    });
    this.#onReady?.();
  }

  /** There is no connection. */
  unreachable(reason: string): void {
    this.#fail({ reason, retry: "always" });
  }

  whenReady(run: () => void): void {
    if (this.#stream) run();
    else this.#onReady = run;
  }

  write(bytes: Buffer): boolean {
    const stream = this.#stream;
    if (!stream || stream.isClosed || stream.write(bytes)) return true;
    stream.drained().then(() => this.onDrain?.());
    return false;
  }

  end(): void {
    this.#stream?.end();
  }

  cancel(): void {
    this.#answer = undefined;
    this.#stream?.reset(errorCodes.cancel);
  }

  pause(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    if (this.#heldBytes > 0) this.#stream?.consumed(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #takeFields(received: readonly string[]): void {
    if (this.#hasHead) {
      this.#trailers = received;
      return;
    }
    const status = Number(findField(received, ":status"));
    // 103 Early Hints and the like precede the response.
    if (status < 200) return;
    if (!(status <= 999)) {
      this.#fail({ reason: "a response without status", retry: "never" });
      this.#stream?.reset(errorCodes.protocolError);
      return;
    }
    this.#hasHead = true;
    const fields = received.filter((_, at) => !received[at & ~1]?.startsWith(":"));
    this.#answer?.takeHead(status, fields);
  }

  #takeChunk(bytes: Buffer): void {
    this.#answer?.takeChunk(bytes);
    if (this.#isHeld) this.#heldBytes += bytes.length;
    else this.#stream?.consumed(bytes.length);
  }

  #takeEnd(): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.takeEnd(this.#trailers);
  }

  #takeFailure({ reason, seen }: StreamFailure): void {
    this.#fail({ reason, retry: seen ? "never" : "always" });
  }

  #fail(failure: Parameters<AnswerReader["fail"]>[0]): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.fail(failure);
  }
}
