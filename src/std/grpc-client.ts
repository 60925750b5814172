import {
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type CallOptions as LibraryOptions,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { systemClock } from "./clock.ts";
import {
  asBuffer,
  codeName,
  GrpcError,
  type Method,
  type RequestIn,
  type ResponseOut,
  type Service,
} from "./grpc.ts";
import type { Channel } from "./grpc-channel.ts";

export interface CallOptions {
  /** Aborting it fails the call with CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** The call fails with DEADLINE_EXCEEDED after so long; default never. */
  readonly timeoutMs?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** One function per method, by its name on the wire. All of them throw GrpcError. */
export type ServiceClient<S extends Service> = {
  readonly [N in keyof S["methods"]]: ClientCall<S["methods"][N]>;
};

type ClientCall<M extends Method> = {
  unary: (request: RequestIn<M>, options?: CallOptions) => Promise<ResponseOut<M>>;
  serverStream: (request: RequestIn<M>, options?: CallOptions) => AsyncIterable<ResponseOut<M>>;
  bidi: (options?: CallOptions) => BidiCall<RequestIn<M>, ResponseOut<M>>;
}[M["kind"]];

/** A stream each way: iterate for the responses, once. Leaving the loop, or disposing, cancels the call. */
export interface BidiCall<Request, Response> extends AsyncIterable<Response>, Disposable {
  /** Resolves when there is room for more. A failure shows in the responses, not here. */
  write(request: Request): Promise<void>;
  /** No more requests; responses go on. */
  end(): void;
}

/** The calls of a service over a channel. */
export function serviceClient<S extends Service>(service: S, channel: Channel): ServiceClient<S> {
  const calls = Object.entries(service.methods).map(([name, method]) => {
    const endpoint: Endpoint = {
      channel,
      path: `/${service.name}/${name}`,
      encode: (request) => asBuffer(method.request.encode(request as never)),
      decode: (bytes) => method.response.decode(bytes),
    };
    return [name, callsByKind[method.kind](endpoint)];
  });
  return Object.fromEntries(calls);
}

interface Endpoint {
  readonly channel: Channel;
  readonly path: string;
  readonly encode: (request: unknown) => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}

function openConnection(channel: Channel): Client {
  if (channel.closed) throw new GrpcError("UNAVAILABLE", "the channel is closed", { sent: false });
  return channel.connection;
}

const callsByKind = { unary: unaryCall, serverStream: serverStreamCall, bidi: bidiCall };

function unaryCall({ channel, path, encode, decode }: Endpoint) {
  return (request: unknown, options: CallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) throw new GrpcError("CANCELLED", "aborted", { sent: false });
      const { metadata, settings } = toLibrary(options);
      const connection = openConnection(channel);
      const settle = (error: ServiceError | null, response?: unknown): void => {
        signal?.removeEventListener("abort", abort);
        if (error) reject(fromLibrary(error));
        else resolve(response);
      };
      const call = connection.makeUnaryRequest(
        path,
        encode,
        decode,
        request,
        metadata,
        settings,
        settle,
      );
      const abort = (): void => call.cancel();
      signal?.addEventListener("abort", abort, { once: true });
    });
}

function serverStreamCall({ channel, path, encode, decode }: Endpoint) {
  return (request: unknown, options: CallOptions = {}): AsyncIterable<unknown> => {
    const { metadata, settings } = toLibrary(options);
    return responses(
      openConnection(channel).makeServerStreamRequest(
        path,
        encode,
        decode,
        request,
        metadata,
        settings,
      ),
      options.signal,
    );
  };
}

function bidiCall({ channel, path, encode, decode }: Endpoint) {
  return (options: CallOptions = {}): BidiCall<unknown, unknown> => {
    const { metadata, settings } = toLibrary(options);
    const call = openConnection(channel).makeBidiStreamRequest(
      path,
      encode,
      decode,
      metadata,
      settings,
    );
    const received = responses(call, options.signal);
    const ended = new Promise<void>((resolve) => call.once("status", () => resolve()));
    return {
      async write(request) {
        if (call.writable && !call.write(request)) await Promise.race([drained(call), ended]);
      },
      end: () => call.end(),
      [Symbol.asyncIterator]: () => received[Symbol.asyncIterator](),
      [Symbol.dispose]: () => call.cancel(),
    };
  };
}

function drained(call: ClientDuplexStream<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => call.once("drain", () => resolve()));
}

/** The responses, read only as fast as they are taken. */
function responses(
  call: ClientReadableStream<unknown> | ClientDuplexStream<unknown, unknown>,
  signal: AbortSignal | undefined,
): AsyncIterable<unknown> {
  let failure: ServiceError | undefined;
  // Also keeps an error that comes while nobody is iterating from ending the process.
  call.on("error", (error: ServiceError) => {
    failure ??= error;
  });
  const abort = (): void => call.cancel();
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted) abort();
  return (async function* () {
    try {
      yield* call;
      // An error that came before the iteration began ends the stream without being thrown.
      if (failure) throw failure;
    } catch (error) {
      throw fromLibrary(failure ?? error);
    } finally {
      signal?.removeEventListener("abort", abort);
      call.cancel();
    }
  })();
}

function toLibrary(options: CallOptions): { metadata: Metadata; settings: LibraryOptions } {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
  if (options.timeoutMs === undefined) return { metadata, settings: {} };
  return { metadata, settings: { deadline: systemClock.now() + options.timeoutMs } };
}

/**
 * How the library words that a call ended before it was given to a connection. Checked by grpc.test.ts, so that a new
 * version of the library that words it otherwise is noticed.
 */
const NEVER_SENT =
  /^No connection established|^Channel closed before call started|Waiting for LB pick$|waiting for name resolution$|^Name resolution failed/;

function fromLibrary(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number")
    return error;
  const { code, details } = error as ServiceError;
  return new GrpcError(codeName(code), details, { sent: !NEVER_SENT.test(details) });
}
