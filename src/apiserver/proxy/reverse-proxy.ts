import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import {
  badRequest,
  serviceUnavailable,
  statusWithoutReason,
} from "#/machinery/meta/status-error.ts";
import { type Exchange, header, type Reply, type Sink } from "../model/exchange.ts";
import { escapePath, hostOf, joinPaths, type Location } from "../outgoing/location.ts";
import { BackendError, type OutgoingRequest, type Transport } from "../outgoing/transport.ts";
import {
  asksForUpgrade,
  type Headers,
  requestHeaders,
  responseHeaders,
} from "./forwarded-headers.ts";
import {
  canRewrite,
  type LinkRewriting,
  maxPageBytes,
  rewriteLink,
  rewritePage,
} from "./rewrite-links.ts";
import { openTunnel } from "./tunnel.ts";

export interface ProxyOptions {
  readonly transport: Transport;
  readonly location: Location;
  /** Only upgrades are forwarded (exec, attach, port forwarding). */
  readonly upgradeRequired?: boolean;
  /** Headers to set on the backend's request. */
  readonly headers?: Headers;
  /** Base of rewritten links to the backend; "" for links without a host. */
  readonly scheme?: string;
  readonly host?: string;
  /** A redirect of the backend is answered with 502. */
  readonly rejectRedirects?: boolean;
  /** Instead of the client's own. */
  readonly signal?: AbortSignal;
}

/** Limit of a body from a caller in this process (bytes); it is kept in memory. */
const maxBodyBytes = 3 * 1024 * 1024;

/**
 * Forwards a request to a backend, and its response back; an upgrade becomes a tunnel.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go.
 */
export async function passOn(exchange: Exchange, options: ProxyOptions): Promise<Reply> {
  if (asksForUpgrade(exchange)) return upgrade(exchange, options);
  if (options.upgradeRequired) throw badRequest("Upgrade request required");
  const { location } = options;
  const endsInSlash = location.path.endsWith("/") || !exchange.path.endsWith("/");
  const path = endsInSlash ? location.path : `${location.path}/`;
  const reading = exchange.method === "GET" || exchange.method === "HEAD";
  if (path === "" && reading) return redirectToRoot(exchange);
  return forward(exchange, { ...options, location: { ...location, path } });
}

function redirectToRoot(exchange: Exchange): Reply {
  const query = queryOf(exchange);
  const location = `${exchange.path}/${query === "" ? "" : `?${query}`}`;
  return { status: 301, headers: { location }, body: { type: "bytes", chunks: [] } };
}

/** The raw query string. */
export function queryOf({ rawQuery, query }: Exchange): string {
  return rawQuery ?? query.toString();
}

async function forward(exchange: Exchange, options: ProxyOptions): Promise<Reply> {
  const { transport, location, signal = exchange.signal } = options;
  const rewriting = rewritingOf(exchange, options);
  const body = await bodyOf(exchange);
  const response = await transport
    .send({
      method: exchange.method,
      location,
      headers: {
        ...requestHeaders(exchange, false),
        ...forwardedHeaders(location, rewriting),
        ...options.headers,
        ...(body?.sizeBytes === undefined ? {} : { "content-length": String(body.sizeBytes) }),
      },
      body: body?.stream,
      signal,
    } satisfies OutgoingRequest)
    .catch((error: unknown) => {
      if (!(error instanceof BackendError)) throw error;
      throw serviceUnavailable(`error trying to reach service: ${error.message}`);
    });
  if (options.rejectRedirects && isRedirect(response)) return refuseRedirect(response);
  return answer(response, rewriting);
}

function forwardedHeaders(location: Location, { scheme, host, prefix }: LinkRewriting): Headers {
  return {
    "x-forwarded-uri": joinPaths(prefix, escapePath(location.path)),
    ...(host === "" ? {} : { "x-forwarded-host": host }),
    ...(scheme === "" ? {} : { "x-forwarded-proto": scheme }),
  };
}

function rewritingOf(exchange: Exchange, options: ProxyOptions): LinkRewriting {
  const { location, scheme = "", host = "" } = options;
  const { path } = exchange;
  const prefix = path.endsWith(location.path)
    ? path.slice(0, path.length - location.path.length)
    : path;
  const requestHost = header(exchange, ":authority") ?? header(exchange, "host") ?? "";
  return { scheme, host, prefix, backendHost: hostOf(location), requestHost };
}

/** The request's body as a stream, if it has one, and its size if that is known only here. */
async function bodyOf(
  exchange: Exchange,
): Promise<{ stream: Readable; sizeBytes?: number } | undefined> {
  const { body, headers, method } = exchange;
  if (!body) {
    const bytes = await exchange.readBody(maxBodyBytes);
    const sizeBytes = bytes.length;
    return sizeBytes === 0 ? undefined : { stream: Readable.from([bytes]), sizeBytes };
  }
  const size = headers["content-length"];
  if (size !== undefined) return size === "0" ? undefined : { stream: body };
  const mayBeEmpty = method === "GET" || method === "HEAD" || method === "OPTIONS";
  if (headers["transfer-encoding"] !== undefined) return { stream: body };
  return headers[":method"] !== undefined && !mayBeEmpty ? { stream: body } : undefined;
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode <= 399 && headers.location !== undefined;
}

function refuseRedirect(response: IncomingMessage): Reply {
  response.destroy();
  const message = "the backend attempted to redirect this request, which is not permitted";
  return { status: 502, headers: {}, body: { type: "bytes", chunks: [Buffer.from(message)] } };
}

async function answer(response: IncomingMessage, rewriting: LinkRewriting): Promise<Reply> {
  const status = response.statusCode ?? 502;
  const headers = responseHeaders(response, true) as Record<string, string | string[]>;
  const {
    location,
    "content-type": type = "",
    "content-encoding": encoding = "",
  } = response.headers;
  if (location !== undefined) headers["location"] = rewriteLink(location, rewriting);
  else if (type.split(";")[0]?.trim() === "text/html" && canRewrite(encoding)) {
    const { chunks, whole } = await readPage(response);
    if (!whole) return { status, headers, body: streamOf(response, chunks) };
    delete headers["content-length"];
    const page = await rewritePage(Buffer.concat(chunks), encoding, rewriting);
    return { status, headers, body: { type: "bytes", chunks: [page] } };
  }
  return { status, headers, body: streamOf(response) };
}

/** The page, up to the limit of rewriting. */
async function readPage(response: IncomingMessage): Promise<{ chunks: Buffer[]; whole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const parts = response.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of parts) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxPageBytes) return { chunks, whole: false };
  }
  return { chunks, whole: true };
}

/** The rest of a backend's response, after the part read already. */
export function streamOf(response: IncomingMessage, chunks: readonly Buffer[] = []): Reply["body"] {
  return { type: "stream", write: (sink) => copy(response, chunks, sink) };
}

async function copy(
  response: IncomingMessage,
  chunks: readonly Buffer[],
  sink: Sink,
): Promise<void> {
  for (const chunk of chunks) sink.write(chunk);
  const stop = () => void response.destroy();
  sink.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (!sink.write(chunk)) await sink.drained();
    }
  } catch (error) {
    // A partial response must not look complete.
    if (!sink.signal.aborted) sink.close(error instanceof Error ? error : new Error(String(error)));
  } finally {
    sink.signal.removeEventListener("abort", stop);
  }
}

async function upgrade(exchange: Exchange, options: ProxyOptions): Promise<Reply> {
  const { transport, location, signal = exchange.signal } = options;
  const headers = { ...requestHeaders(exchange, true), ...options.headers };
  const { response, upgraded } = await transport
    .upgrade({ method: exchange.method, location, headers, signal })
    .catch((error: unknown) => {
      if (!(error instanceof BackendError)) throw error;
      throw statusWithoutReason(
        error.message === "EOF" ? "unexpected EOF" : `error dialing backend: ${error.message}`,
      );
    });
  if (upgraded) {
    if (!exchange.upgrade) {
      upgraded.socket.destroy();
      throw statusWithoutReason("request connection cannot be hijacked");
    }
    openTunnel(exchange.upgrade(), upgraded, response, transport.bytesPerSecond);
    return { status: 101, headers: {}, body: { type: "upgraded" } };
  }
  const status = response.statusCode ?? 0;
  if (status < 400) {
    response.destroy();
    throw statusWithoutReason(`invalid upgrade response: status code ${status}`);
  }
  return {
    status,
    headers: responseHeaders(response, false) as Reply["headers"],
    body: streamOf(response),
  };
}
