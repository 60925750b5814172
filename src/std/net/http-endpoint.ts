import type { IncomingMessage } from "node:http";
import { asError } from "../base/as-error.ts";
import type { Clock } from "../time/clock.ts";
import { createServer } from "./node-http.ts";
import { requestUrl } from "./request-url.ts";

/** The response of an endpoint. */
export interface EndpointReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, whole or in chunks. */
  readonly body: string | Iterable<string>;
}

/** Answers a path; undefined means 404. */
export type EndpointHandler = (path: string, request: IncomingMessage) => EndpointReply | undefined;

/** A server for health, metrics and the like: plain HTTP, small replies, no secrets. */
export interface HttpEndpoint extends AsyncDisposable {
  readonly port: number;
}

/** Listens on an address (port 0: any free one) and responds by the handler. */
export function serveHttp(
  address: { readonly host: string; readonly port: number; readonly ipv6Only?: boolean },
  handler: EndpointHandler,
): Promise<HttpEndpoint> {
  const server = createServer((request, response) => {
    const reply = replyTo(request, handler);
    response.writeHead(reply.status ?? 200, { ...textHeaders, ...reply.headers });
    if (typeof reply.body === "string") response.end(reply.body);
    else {
      for (const piece of reply.body) response.write(piece);
      response.end();
    }
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      const bound = server.address();
      const port = typeof bound === "object" && bound ? bound.port : address.port;
      resolve({ port, [Symbol.asyncDispose]: () => close() });
    });
    const close = (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
  });
}

/** Never throws: an error would end the process, and anyone may send a request. */
function replyTo(request: IncomingMessage, handler: EndpointHandler): EndpointReply {
  try {
    return handler(requestUrl(request).pathname, request) ?? notFound;
  } catch (error) {
    const { message } = asError(error);
    return { status: 500, body: `internal error: ${message}\n` };
  }
}

/** Retry interval (ms) of an address in use. */
const retryMs = 5000;

interface KeepServingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called each time the address can't be opened. */
  onFailure(error: unknown): void;
}

/** As serveHttp(), for optional servers: retries until it succeeds. */
export function keepServing(
  address: Parameters<typeof serveHttp>[0],
  handler: EndpointHandler,
  { clock, signal, onFailure }: KeepServingOptions,
): AsyncDisposable {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const open = async (): Promise<HttpEndpoint | undefined> => {
    while (!either.aborted) {
      try {
        return await serveHttp(address, handler);
      } catch (error) {
        onFailure(error);
        await clock.sleep(retryMs, either).catch(() => undefined);
      }
    }
    return undefined;
  };
  const opened = open();
  const close = async (): Promise<void> => {
    stop.abort();
    await (await opened)?.[Symbol.asyncDispose]();
  };
  return { [Symbol.asyncDispose]: close };
}

const textHeaders = {
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
};

const notFound: EndpointReply = { status: 404, body: "404 page not found\n" };
