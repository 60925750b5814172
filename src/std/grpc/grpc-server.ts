import { createServer, type Socket } from "node:net";
import { asError } from "../base/as-error.ts";
import { Http2Session } from "../http2/http2-session.ts";
import type { Http2Stream } from "../http2/http2-stream.ts";
import { openSocketPath } from "../net/socket-path.ts";
import type { Clock } from "../time/clock.ts";
import { GrpcError, type Method, type RequestOut, type ResponseIn, type Service } from "./grpc.ts";
import { grpcCodes } from "./grpc-codes.ts";
import { frameMessage, MessageReader } from "./grpc-message.ts";

/** The context of a call. */
interface CallContext {
  /** Aborts when the client has disconnected, cancelled, or its deadline has passed. */
  readonly signal: AbortSignal;
}

type UnaryMethod = Method<"unary">;

/** The handlers of a service. A GrpcError that one throws is the status of the call, any other error INTERNAL. */
export type Handlers<S extends Service> = {
  readonly [N in keyof S["methods"]]: S["methods"][N] extends UnaryMethod
    ? (
        request: RequestOut<S["methods"][N]>,
        context: CallContext,
      ) => Promise<ResponseIn<S["methods"][N]>>
    : never;
};

/** A service with its handlers. */
export interface ServedService {
  readonly service: Service;
  readonly handlers: Readonly<Record<string, unknown>>;
}

/** A service with a handler for each of its methods, all of them unary. */
export const served = <S extends Service>(service: S, handlers: Handlers<S>): ServedService => ({
  service,
  handlers,
});

interface GrpcServerOptions {
  /** The path of the unix socket. */
  readonly path: string;
  readonly services: readonly ServedService[];
  readonly clock: Clock;
  /** Called after each failed call, for logs. */
  readonly failed?: (call: string, error: Error) => void;
}

/** Limit of one request (bytes), as grpc-go's. */
const maxRequestBytes = 4 << 20;
/** Limit of calls of one connection at a time: each may wait for a disk. */
const maxStreams = 128;
const maxHeaderBytes = 16 << 10;

type Handler = (request: unknown, context: CallContext) => Promise<unknown>;

interface Route {
  readonly method: Method;
  readonly handler: Handler;
}

/** Serves on a unix socket until disposed; disposing cancels the calls that are active. */
export async function serveGrpc(options: GrpcServerOptions): Promise<AsyncDisposable> {
  const { clock } = options;
  const place = openSocketPath(options.path);
  const routes = routesOf(options.services);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const serve = (stream: Http2Stream) => serveCall(stream, routes, options);
    void new Http2Session(socket, { clock, maxStreams, maxHeaderBytes, serve });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      place[Symbol.dispose]();
      reject(error);
    });
    server.listen(place.path, () => resolve());
  });
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      // The server has removed its socket by this path.
      place[Symbol.dispose]();
    },
  };
}

function routesOf(services: readonly ServedService[]): Map<string, Route> {
  const routes = new Map<string, Route>();
  for (const { service, handlers } of services) {
    for (const [name, method] of Object.entries(service.methods)) {
      const handler = handlers[name] as Handler;
      routes.set(`/${service.name}/${name}`, { method, handler });
    }
  }
  return routes;
}

async function serveCall(
  stream: Http2Stream,
  routes: ReadonlyMap<string, Route>,
  { clock, failed }: GrpcServerOptions,
): Promise<void> {
  const path = fieldOf(stream, ":path") ?? "";
  const gone = new AbortController();
  stream.onAbort = () => gone.abort(new GrpcError("CANCELLED", "the client has gone"));
  const timeoutMs = parseTimeout(fieldOf(stream, "grpc-timeout"));
  const late = () => gone.abort(new GrpcError("DEADLINE_EXCEEDED", "the deadline has passed"));
  using _timer =
    timeoutMs === undefined ? undefined : clock.setTimer(timeoutMs, late, { keepAlive: false });
  try {
    const route = routes.get(path);
    if (!route) throw new GrpcError("UNIMPLEMENTED", `unknown method ${path}`);
    const request = await readRequest(stream, route.method);
    const response = await route.handler(request, { signal: gone.signal });
    stream.respond(headers);
    stream.trailers = ["grpc-status", "0"];
    stream.end(frameMessage((writer) => route.method.response.write(writer, response as never)));
  } catch (thrown) {
    const error = asError(thrown);
    failed?.(path, error);
    const { code, details } =
      error instanceof GrpcError ? error : new GrpcError("INTERNAL", error.message);
    stream.respond(
      [...headers, "grpc-status", String(grpcCodes[code]), "grpc-message", escaped(details)],
      new Uint8Array(),
    );
  }
}

const headers: readonly string[] = [":status", "200", "content-type", "application/grpc"];

/** The only message of a request. */
function readRequest(stream: Http2Stream, { request }: Method): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const reader = new MessageReader(maxRequestBytes);
    let found: Buffer | undefined;
    stream.receive({
      chunk(chunk) {
        try {
          for (const bytes of reader.read(chunk)) found ??= Buffer.from(bytes);
        } catch (error) {
          reject(error);
        }
        stream.consumed(chunk.length);
      },
      end() {
        try {
          resolve(request.decode(found ?? new Uint8Array()));
        } catch (cause) {
          reject(new GrpcError("INTERNAL", `the request is not such a message: ${cause}`));
        }
      },
      fail: () => reject(new GrpcError("CANCELLED", "the client has gone")),
    });
  });
}

function fieldOf({ fields }: Http2Stream, name: string): string | undefined {
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index] === name) return fields[index + 1];
  }
  return undefined;
}

const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** The deadline that a client sends (ms): digits and a unit. */
function parseTimeout(text: string | undefined): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Math.ceil(Number(digits) * (unitMs[unit] ?? 1));
}

/** The text of a status, in which only printable ASCII without "%" stands for itself. */
function escaped(text: string): string {
  const bytes = Buffer.from(text);
  let result = "";
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    result += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}
