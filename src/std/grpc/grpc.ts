import type { Decoded, Encodable, Message } from "../protobuf/protobuf.ts";
import { grpcCodes } from "./grpc-codes.ts";

/** A gRPC service declared as data; see grpc-client.ts for calling it and grpc-server.ts for serving it. */
export interface Service<M extends Methods = Methods> {
  /** With its package, as on the wire: `etcdserverpb.KV`. */
  readonly name: string;
  readonly methods: M;
}

/** By name as on the wire: `Range`. */
type Methods = Readonly<Record<string, Method>>;

/** One method: its messages, and which are streams. */
export interface Method<
  Kind extends MethodKind = MethodKind,
  Request extends AnyMessage = AnyMessage,
  Response extends AnyMessage = AnyMessage,
> {
  readonly kind: Kind;
  readonly request: Request;
  readonly response: Response;
}

type MethodKind = "unary" | "serverStream" | "bidi";

type AnyMessage = Message<unknown, never>;

export function service<M extends Methods>(name: string, methods: M): Service<M> {
  return { name, methods };
}

/** One request, one response. */
export function unary<Q extends AnyMessage, R extends AnyMessage>(
  request: Q,
  response: R,
): Method<"unary", Q, R> {
  return { kind: "unary", request, response };
}

/** One request, a stream of responses. */
export function serverStream<Q extends AnyMessage, R extends AnyMessage>(
  request: Q,
  response: R,
): Method<"serverStream", Q, R> {
  return { kind: "serverStream", request, response };
}

/** A stream each way. */
export function bidi<Q extends AnyMessage, R extends AnyMessage>(
  request: Q,
  response: R,
): Method<"bidi", Q, R> {
  return { kind: "bidi", request, response };
}

export type RequestIn<M> = M extends Method<MethodKind, infer Q, infer _R> ? Encodable<Q> : never;

export type RequestOut<M> = M extends Method<MethodKind, infer Q, infer _R> ? Decoded<Q> : never;

export type ResponseIn<M> = M extends Method<MethodKind, infer _Q, infer R> ? Encodable<R> : never;

export type ResponseOut<M> = M extends Method<MethodKind, infer _Q, infer R> ? Decoded<R> : never;

export type GrpcCode = keyof typeof grpcCodes;

const codeNames = Object.keys(grpcCodes) as GrpcCode[];

/** A call that failed, on either side: thrown by clients, and by handlers to choose the status. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: GrpcCode;
  /** The status message of the peer, or our own if there was none. */
  readonly details: string;
  /** False when the request certainly never left this process, so that a retry is safe. */
  readonly sent: boolean;

  constructor(code: GrpcCode, details: string, options: { sent?: boolean } & ErrorOptions = {}) {
    super(`${code}: ${details}`, options);
    this.code = code;
    this.details = details;
    this.sent = options.sent ?? true;
  }
}

/** The name of a status code on the wire. */
export function codeName(code: number): GrpcCode {
  return codeNames[code] ?? "UNKNOWN";
}
