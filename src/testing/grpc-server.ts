import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  GrpcError,
  type Method,
  type RequestOut,
  type ResponseIn,
  type Service,
} from "#/std/grpc/grpc.ts";
import { grpcCodes } from "#/std/grpc/grpc-codes.ts";

export interface ServeOptions {
  /** `unix:/path` or `host:port`; port 0 takes a free one. */
  readonly address: string;
  readonly services: readonly Implementation[];
}

/** A service with its handlers; see implement(). */
export interface Implementation {
  readonly service: Service;
  readonly handlers: Readonly<Record<string, unknown>>;
}

/**
 * The context of a call. A GrpcError that a handler throws becomes the status, any other error
 * UNKNOWN.
 */
export interface CallContext {
  /** Aborts when the client has disconnected or cancelled. */
  readonly signal: AbortSignal;
  readonly metadata: ReadonlyMap<string, string>;
}

export type Handlers<S extends Service> = {
  readonly [N in keyof S["methods"]]?: Handler<S["methods"][N]>;
};

type Handler<M extends Method> = {
  unary: (request: RequestOut<M>, context: CallContext) => Promise<ResponseIn<M>>;
  serverStream: (request: RequestOut<M>, context: CallContext) => AsyncIterable<ResponseIn<M>>;
  bidi: (
    requests: AsyncIterable<RequestOut<M>>,
    context: CallContext,
  ) => AsyncIterable<ResponseIn<M>>;
}[M["kind"]];

/** Methods without a handler respond with UNIMPLEMENTED. */
export function implement<S extends Service>(service: S, handlers: Handlers<S>): Implementation {
  return { service, handlers };
}

/** A listening server; disposing it ends all calls. */
export interface RunningServer extends AsyncDisposable {
  /** 0 for a unix socket. */
  readonly port: number;
}

/** Serves without TLS, as plugins on unix sockets do. */
export async function serve({ address, services }: ServeOptions): Promise<RunningServer> {
  const server = new Server();
  for (const { service, handlers } of services) {
    for (const [name, method] of Object.entries(service.methods)) {
      const handler = handlers[name];
      if (handler) register(server, `/${service.name}/${name}`, { method, handler });
    }
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

type UnknownHandler = (input: unknown, context: CallContext) => unknown;

function register(
  server: Server,
  path: string,
  { method, handler }: { method: Method; handler: unknown },
): void {
  const encode = (value: unknown): Buffer => asBuffer(method.response.encode(value as never));
  const decode = (bytes: Buffer): unknown => method.request.decode(bytes);
  const handle = handler as UnknownHandler;
  if (method.kind === "unary") {
    const respond = (
      call: ServerUnaryCall<unknown, unknown>,
      send: sendUnaryData<unknown>,
    ): void => {
      // The library ignores responses after the client has disconnected.
      Promise.try(handle, call.request, contextOf(call)).then(
        (response) => send(null, response),
        (error: unknown) => send(toStatus(error)),
      );
    };
    server.register(path, respond, encode, decode, "unary");
    return;
  }
  const respond = (call: Streaming): void => {
    void pump(call, () => handle(inputOf(call), contextOf(call)) as AsyncIterable<unknown>);
  };
  server.register(path, respond, encode, decode, method.kind);
}

function inputOf(call: Streaming): unknown {
  if ("request" in call) return call.request;
  // The end of the requests must not close the stream of responses.
  return (call as Readable).iterator({ destroyOnReturn: false });
}

type Streaming = ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;

/** Sends responses at the client's pace. */
async function pump(call: Streaming, open: () => AsyncIterable<unknown>): Promise<void> {
  const gone = once(call, "cancelled");
  try {
    for await (const response of open()) {
      if (call.cancelled) return;
      if (!call.write(response)) await Promise.race([once(call, "drain"), gone]);
    }
    call.end();
  } catch (error) {
    call.emit("error", toStatus(error));
  }
}

function once(call: EventEmitter, event: "drain" | "cancelled"): Promise<void> {
  return new Promise((resolve) => call.once(event, () => resolve()));
}

function contextOf(call: ServerUnaryCall<unknown, unknown> | Streaming): CallContext {
  const controller = new AbortController();
  void once(call, "cancelled").then(() => controller.abort());
  const entries = Object.entries(call.metadata.getMap());
  return {
    signal: controller.signal,
    metadata: new Map(entries.map(([name, value]) => [name, String(value)])),
  };
}

function toStatus(error: unknown): { code: number; details: string } {
  if (error instanceof GrpcError) return { code: grpcCodes[error.code], details: error.details };
  return {
    code: grpcCodes.UNKNOWN,
    details: error instanceof Error ? error.message : String(error),
  };
}

/** A Buffer over the same bytes, as the gRPC library wants it. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
