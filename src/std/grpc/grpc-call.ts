import { errorCodes } from "../http2/frame.ts";
import type { AnswerFailure, AnswerReader, Http2Client } from "../http2/http2-client.ts";
import type { Http2Stream } from "../http2/http2-stream.ts";
import type { Timer } from "../time/clock.ts";
import { codeName, type GrpcCode, GrpcError } from "./grpc.ts";
import type { Channel, WaitingCall } from "./grpc-channel.ts";
import { MessageReader } from "./grpc-message.ts";

export interface CallOptions {
  /** Aborting it fails the call with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout, after which the call fails with DEADLINE_EXCEEDED; default never. */
  readonly timeoutMs?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Receives a call's responses. */
interface ResponseSink {
  /** A message; its bytes stay valid. */
  message(bytes: Buffer): void;
  /** Number of received bytes; pass it to consumed() when there is room for more. */
  received(bytes: number): void;
  /** Called once, as the last call: with undefined on success. */
  done(error: GrpcError | undefined): void;
}

/**
 * gRPC codes of HTTP statuses without a grpc-status. Upstream: grpc
 * doc/http-grpc-status-mapping.md.
 */
const codesByStatus: Readonly<Record<string, GrpcCode>> = {
  400: "INTERNAL",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "UNIMPLEMENTED",
  429: "UNAVAILABLE",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "UNAVAILABLE",
};

/** gRPC codes of stream resets by the server. Upstream: grpc doc/PROTOCOL-HTTP2.md. */
const codesByReset: Readonly<Record<number, GrpcCode>> = {
  [errorCodes.refusedStream]: "UNAVAILABLE",
  [errorCodes.cancel]: "CANCELLED",
  [errorCodes.enhanceYourCalm]: "RESOURCE_EXHAUSTED",
};

/** One call: waiting for a connection, active, or ended. */
export class GrpcCall implements WaitingCall, AnswerReader {
  readonly #channel: Channel;
  readonly #fields: readonly string[];
  readonly #sink: ResponseSink;
  readonly #messages: MessageReader;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Timer | undefined;
  /** The only request, if it is not a stream. */
  #body: Uint8Array | undefined;
  #stream: Http2Stream | undefined;
  #isDone = false;
  #httpStatus = "";
  #status: string | undefined;
  #statusMessage = "";
  #onBegun: (() => void)[] = [];

  /** Starts the call; with a body, no further request is sent. */
  constructor(
    channel: Channel,
    path: string,
    options: CallOptions,
    { body, sink }: { readonly body?: Uint8Array; readonly sink: ResponseSink },
  ) {
    const { signal, timeoutMs } = options;
    this.#channel = channel;
    this.#sink = sink;
    this.#body = body;
    this.#messages = new MessageReader(channel.maxReceiveBytes);
    this.#fields = requestFields(channel, path, options);
    this.#signal = signal;
    signal?.addEventListener("abort", this.cancel, { once: true });
    this.#timer =
      timeoutMs === undefined
        ? undefined
        : channel.clock.setTimer(timeoutMs, () =>
            this.#give("DEADLINE_EXCEEDED", "context deadline exceeded"),
          );
    if (signal?.aborted) this.cancel();
    else channel.start(this);
  }

  /** Cancels the call; does nothing when it has ended. */
  readonly cancel = (): void => this.#give("CANCELLED", "aborted");

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Resolves when there is room for more. Only without a body. */
  async write(frame: Uint8Array): Promise<void> {
    if (!this.#stream) await this.#begun();
    if (this.#stream && !this.#stream.write(frame)) await this.#stream.drained();
  }

  /** Ends the requests. */
  async end(): Promise<void> {
    if (!this.#stream) await this.#begun();
    this.#stream?.end();
  }

  #begun(): Promise<void> {
    if (this.#isDone) return Promise.resolve();
    return new Promise((resolve) => this.#onBegun.push(resolve));
  }

  /** Number of received bytes that are processed. */
  consumed(bytes: number): void {
    this.#stream?.consumed(bytes);
  }

  /** See WaitingCall. */
  begin(connection: Http2Client): void {
    this.#stream = connection.request(this.#fields, this.#body, this);
    this.#body = undefined;
    for (const resolve of this.#onBegun.splice(0)) resolve();
  }

  /** See WaitingCall. */
  refuse(error: GrpcError): void {
    this.#finish(error);
  }

  /** See AnswerReader. */
  takeFields(fields: readonly string[]): void {
    for (let index = 0; index < fields.length; index += 2) {
      const value = fields[index + 1] ?? "";
      if (fields[index] === ":status") this.#httpStatus = value;
      else if (fields[index] === "grpc-status") this.#status = value;
      else if (fields[index] === "grpc-message") this.#statusMessage = unescaped(value);
    }
  }

  /** See AnswerReader. */
  takeChunk(chunk: Buffer): void {
    if (this.#isDone || this.#httpStatus !== "200") return;
    try {
      for (const message of this.#messages.read(chunk)) this.#sink.message(message);
      this.#sink.received(chunk.length);
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      this.#give(error.code, error.details);
    }
  }

  /** See AnswerReader. */
  takeEnd(): void {
    if (this.#status === "0") this.#finish(undefined);
    else if (this.#status !== undefined) {
      this.#finish(new GrpcError(codeName(Number(this.#status)), this.#statusMessage));
    } else {
      const code = codesByStatus[this.#httpStatus] ?? "UNKNOWN";
      this.#finish(
        new GrpcError(code, `the answer, of HTTP status ${this.#httpStatus}, has no status`),
      );
    }
  }

  /** See AnswerReader. */
  fail({ reason, seen, code }: AnswerFailure): void {
    const name = code === undefined ? "UNAVAILABLE" : (codesByReset[code] ?? "INTERNAL");
    this.#finish(new GrpcError(name, reason, { sent: seen }));
  }

  /** Ends the call from our side. */
  #give(code: GrpcCode, details: string): void {
    if (this.#isDone) return;
    const stream = this.#stream;
    if (stream) stream.reset(errorCodes.cancel);
    else this.#channel.withdraw(this);
    this.#finish(new GrpcError(code, details, { sent: stream !== undefined }));
  }

  #finish(error: GrpcError | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#timer?.cancel();
    this.#signal?.removeEventListener("abort", this.cancel);
    for (const resolve of this.#onBegun.splice(0)) resolve();
    this.#sink.done(error);
  }
}

function requestFields(channel: Channel, path: string, options: CallOptions): string[] {
  const { metadata, timeoutMs } = options;
  const fields = [
    ...[":method", "POST", ":scheme", channel.scheme, ":path", path],
    ...[":authority", channel.authority, "te", "trailers"],
    ...["content-type", "application/grpc", "user-agent", "k8ts"],
  ];
  // At most eight digits.
  if (timeoutMs !== undefined) {
    const ms = Math.max(1, Math.ceil(timeoutMs));
    fields.push("grpc-timeout", ms < 1e8 ? `${ms}m` : `${Math.ceil(ms / 1000)}S`);
  }
  for (const name in metadata) fields.push(name, metadata[name] ?? "");
  return fields;
}

/** Texts are percent-encoded unless printable ASCII; invalid encodings are left. */
function unescaped(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
