import { GrpcError, type Method, type RequestIn, type ResponseOut, type Service } from "./grpc.ts";
import { type CallOptions, GrpcCall } from "./grpc-call.ts";
import type { Channel } from "./grpc-channel.ts";
import { frameMessage } from "./grpc-message.ts";

/** One function per method, by its name on the wire. All throw GrpcError. */
export type ServiceClient<S extends Service> = {
  readonly [N in keyof S["methods"]]: ClientCall<S["methods"][N]>;
};

type ClientCall<M extends Method> = {
  unary: (request: RequestIn<M>, options?: CallOptions) => Promise<ResponseOut<M>>;
  serverStream: (request: RequestIn<M>, options?: CallOptions) => AsyncIterable<ResponseOut<M>>;
  bidi: (options?: CallOptions) => BidiCall<RequestIn<M>, ResponseOut<M>>;
}[M["kind"]];

/**
 * A stream in each direction: iterate for the responses, once; responses that arrived together are
 * yielded together. Leaving the loop, or disposing, cancels the call.
 */
export interface BidiCall<Request, Response>
  extends AsyncIterable<readonly Response[]>,
    Disposable {
  /** Resolves when there is room for more. An error is thrown by the responses, not here. */
  write(request: Request): Promise<void>;
  /** Ends the requests; responses continue. */
  end(): void;
}

/** Limit of buffered responses of a stream (bytes) before the server is held back. */
const maxWaitingBytes = 256 << 10;

interface ServiceClientOptions {
  /** Timeout of a unary call whose options have none (ms); undefined for none. */
  deadlineMs?(method: string, request: object): number | undefined;
}

/** The calls of a service over a channel. */
export function serviceClient<S extends Service>(
  service: S,
  channel: Channel,
  { deadlineMs }: ServiceClientOptions = {},
): ServiceClient<S> {
  const calls = Object.entries(service.methods).map(([name, method]) => {
    const endpoint: Endpoint = {
      channel,
      path: `/${service.name}/${name}`,
      encode: (request) => frameMessage((writer) => method.request.write(writer, request as never)),
      decode: (bytes) => decodeWith(method, bytes),
      deadlineMs: deadlineMs && ((request) => deadlineMs(name, request)),
    };
    return [name, callsByKind[method.kind](endpoint)];
  });
  return Object.fromEntries(calls);
}

interface Endpoint {
  readonly channel: Channel;
  readonly path: string;
  readonly encode: (request: unknown) => Uint8Array;
  readonly decode: (bytes: Buffer) => unknown;
  readonly deadlineMs: ((request: object) => number | undefined) | undefined;
}

function decodeWith(method: Method, bytes: Buffer): unknown {
  try {
    return method.response.decode(bytes);
  } catch (cause) {
    throw new GrpcError("INTERNAL", `the response is not such a message: ${cause}`, { cause });
  }
}

const callsByKind = { unary: unaryCall, serverStream: serverStreamCall, bidi: bidiCall };

function unaryCall({ channel, path, encode, decode, deadlineMs }: Endpoint) {
  return (request: unknown, given: CallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const defaultMs = given.timeoutMs ?? deadlineMs?.(request as object);
      const options = defaultMs === undefined ? given : { ...given, timeoutMs: defaultMs };
      let response: Buffer | undefined;
      const sink = {
        message(bytes: Buffer): void {
          if (response) throw new GrpcError("INTERNAL", "there is more than one response");
          response = bytes;
        },
        received: (bytes: number): void => call.consumed(bytes),
        done(error: GrpcError | undefined): void {
          if (error) {
            reject(error);
            return;
          }
          try {
            if (!response) throw new GrpcError("INTERNAL", "there is no response");
            resolve(decode(response));
          } catch (failure) {
            reject(failure);
          }
        },
      };
      const call = new GrpcCall(channel, path, options, { body: encode(request), sink });
    });
}

function serverStreamCall({ channel, path, encode, decode }: Endpoint) {
  return (request: unknown, options: CallOptions = {}): AsyncIterable<unknown> => {
    const responses = new Responses(decode);
    const body = encode(request);
    const call = new GrpcCall(channel, path, options, { body, sink: responses });
    return responses.each(call);
  };
}

function bidiCall({ channel, path, encode, decode }: Endpoint) {
  return (options: CallOptions = {}): BidiCall<unknown, unknown> => {
    const responses = new Responses(decode);
    const call = new GrpcCall(channel, path, options, { sink: responses });
    const received = responses.together(call);
    return {
      write: (request) => call.write(encode(request)),
      end: () => void call.end(),
      [Symbol.asyncIterator]: () => received[Symbol.asyncIterator](),
      [Symbol.dispose]: () => call.cancel(),
    };
  };
}

/** Buffers responses for their reader; a slow reader holds the server back. */
class Responses {
  readonly #decode: (bytes: Buffer) => unknown;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Received bytes that are not acknowledged to the server yet. */
  #heldBytes = 0;
  #call: GrpcCall | undefined;
  #end: { readonly error: GrpcError | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(decode: (bytes: Buffer) => unknown) {
    this.#decode = decode;
  }

  message(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake?.();
  }

  received(bytes: number): void {
    this.#heldBytes += bytes;
    this.#letMoreCome();
  }

  done(error: GrpcError | undefined): void {
    this.#end = { error };
    // A caller that cancels needs no more responses.
    if (error?.code === "CANCELLED") this.#waiting = [];
    this.#wake?.();
  }

  /** One by one; can be iterated once. */
  async *each(call: GrpcCall): AsyncGenerator<unknown> {
    for await (const responses of this.together(call)) yield* responses;
  }

  /** All buffered responses together; can be iterated once. */
  async *together(call: GrpcCall): AsyncGenerator<unknown[]> {
    this.#call = call;
    this.#letMoreCome();
    try {
      for (;;) {
        if (this.#waiting.length > 0) {
          const messages = this.#waiting;
          this.#waiting = [];
          this.#waitingBytes = 0;
          this.#letMoreCome();
          yield messages.map(this.#decode);
        } else if (this.#end) {
          if (this.#end.error) throw this.#end.error;
          return;
        } else await this.#nextChange();
      }
    } finally {
      call.cancel();
    }
  }

  #letMoreCome(): void {
    if (this.#waitingBytes >= maxWaitingBytes || !this.#call) return;
    this.#call.consumed(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
