import { type Duplex, duplexPair } from "node:stream";
import type { Status } from "#/api/meta/v1.ts";
import { ConnectionError, TimeoutError } from "#/client/transport/connection-error.ts";
import { parseEvents, splitLines } from "#/client/transport/event-lines.ts";
import { responseError } from "#/client/transport/response-error.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ApiStream,
  formatQuery,
  type Headers,
  type Transport,
  type UpgradedStream,
  type WatchEvent,
} from "#/client/transport/transport.ts";
import { parseWarnings } from "#/client/transport/warning-headers.ts";
import { fromStatus } from "#/machinery/meta/status-error.ts";
import { deepFreeze } from "#/machinery/objects/deep-freeze.ts";
import { type Clock, nextTurn, systemClock } from "#/std/time/clock.ts";
import {
  bodyChunks,
  type Handler,
  type Reply,
  type Sink,
  type UserInfo,
} from "../model/exchange.ts";
import { callInProcess, collectBody } from "./in-process.ts";
import { Pipe } from "./pipe.ts";

interface InProcessOptions {
  /** The client's user; authorization checks it like any other. */
  readonly user: UserInfo;
  /** Freezes shared objects, so that a change throws; for tests. */
  readonly freeze?: boolean;
  /** For timeouts and yielding; default is the machine's. */
  readonly clock?: Clock;
}

/** Limit of consecutive requests of this process before other work gets its turn (ms). */
const turnMs = 5;
let turnStartMs: number | undefined;

/**
 * Requests to a server in the same process: through all its filters, but without a network and without encoding
 * JSON. Results are shared with the server and all other callers: never change them.
 */
export class InProcessTransport implements Transport {
  /** The server's own objects are decoded by their schema, which treats null as absent. */
  readonly isWithoutNulls = true;
  readonly #handler: Handler;
  readonly #user: UserInfo;
  readonly #share: (value: unknown) => unknown;
  readonly #clock: Clock;
  readonly #stop = new AbortController();

  constructor(handler: Handler, { user, freeze = false, clock = systemClock }: InProcessOptions) {
    this.#clock = clock;
    this.#handler = handler;
    this.#user = user;
    this.#share = freeze ? deepFreeze : (value) => value;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    await fairTurn(this.#clock);
    const reply = await this.#limited(request);
    const headers = headersOf(reply);
    const body = await this.#bodyOf(reply, headers);
    return { status: reply.status, headers, body, warnings: parseWarnings(headers["warning"]) };
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const reply = await this.#call(request);
    return { status: reply.status, headers: headersOf(reply), chunks: chunksOf(reply, request) };
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const left = new AbortController();
    const signal = AbortSignal.any([
      left.signal,
      this.#stop.signal,
      ...(request.signal ? [request.signal] : []),
    ]);
    const reply = await this.#call({ ...request, signal });
    if (reply.body.type !== "stream") throw await this.#refusal(request, reply);
    const events = new Pipe<WatchEvent<unknown>>();
    // Events of another form, or of another server, are not objects.
    const bytes = new Pipe<Uint8Array>();
    const parsed = pass(parseEvents(splitLines(bytes)), events);
    const share = this.#share;
    const sink: Sink = {
      write: (chunk) => bytes.push(chunk),
      drained: () => bytes.drained(),
      pendingBytes: 0,
      signal,
      close: (reason) => events.end(reason),
      event(type, object) {
        if (type === "ERROR") events.end(fromStatus(object as Status));
        else events.push({ type: type as WatchEvent<unknown>["type"], object: share(object) });
      },
    };
    const written = reply.body.write(sink).finally(() => {
      bytes.end(undefined);
      return parsed;
    });
    written.then(
      () => events.end(request.signal?.aborted ? request.signal.reason : undefined),
      (error: unknown) => events.end(error),
    );
    try {
      yield* events;
    } finally {
      left.abort();
      bytes.end(undefined);
    }
  }

  async upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    const [own, servers] = duplexPair();
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "",
      "sec-websocket-protocol": protocols.join(", "),
      ...request.headers,
    };
    const taken = () => ({ socket: servers, head: new Uint8Array() });
    const reply = await this.#call({ ...request, headers }, taken);
    if (reply.body.type !== "upgraded") throw await this.#refusal(request, reply);
    return readAgreement(own);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
  }

  #call(request: ApiRequest, upgrade?: () => { socket: Duplex; head: Uint8Array }): Promise<Reply> {
    const { method, path, query, headers, body, signal = this.#stop.signal } = request;
    signal.throwIfAborted();
    return callInProcess(this.#handler, {
      method,
      url: path + formatQuery(query),
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body: bytesOf(body),
      user: this.#user,
      signal,
      takesObjects: true,
      clock: this.#clock,
      ...(upgrade ? { upgrade } : {}),
    });
  }

  async #limited(request: ApiRequest): Promise<Reply> {
    const { method, path, query, timeoutMs } = request;
    if (!timeoutMs) return this.#call(request);
    const over = new AbortController();
    const signal = request.signal ? AbortSignal.any([over.signal, request.signal]) : over.signal;
    const expired = Promise.withResolvers<never>();
    using _timer = this.#clock.setTimer(timeoutMs, () => {
      over.abort();
      const url = `https://in-process${path}${formatQuery(query)}`;
      expired.reject(new ConnectionError({ method, url }, new TimeoutError()));
    });
    return await Promise.race([this.#call({ ...request, signal }), expired.promise]);
  }

  async #bodyOf(reply: Reply, headers: Headers): Promise<unknown> {
    const { body } = reply;
    if (body.type === "bytes" && body.value) return this.#share(await body.value());
    const text = (await collectBody(reply)).toString();
    if (!headers["content-type"]?.startsWith("application/json")) return text;
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  }

  async #refusal(request: ApiRequest, reply: Reply): Promise<unknown> {
    const headers = headersOf(reply);
    const body = await this.#bodyOf(reply, headers);
    const error = responseError(request, { status: reply.status, headers, body });
    return error ?? new Error(`unexpected status ${reply.status} of a request for a stream`);
  }
}

/**
 * Lets timers and sockets run after many requests in a row, which need neither: awaiting resolved promises alone would
 * block everything else.
 */
async function fairTurn(clock: Clock): Promise<void> {
  const now = clock.monotonicMs();
  if (turnStartMs === undefined) {
    turnStartMs = now;
    nextTurn().then(() => {
      turnStartMs = undefined;
    });
  } else if (now - turnStartMs > turnMs) await nextTurn();
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return new Uint8Array();
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function headersOf({ headers }: Reply): Headers {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    flat[name] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}

/** Passes the events of a source on; an error ends them. */
async function pass(
  source: AsyncIterable<WatchEvent<unknown>>,
  events: Pipe<WatchEvent<unknown>>,
): Promise<void> {
  try {
    for await (const event of source) events.push(event);
  } catch (error) {
    events.end(error);
  }
}

async function* chunksOf(reply: Reply, { signal }: ApiRequest): AsyncGenerator<Uint8Array> {
  const { body } = reply;
  if (body.type === "upgraded") return;
  if (body.type !== "stream") return yield* bodyChunks(body);
  const left = new AbortController();
  const chunks = new Pipe<Uint8Array>();
  const sink: Sink = {
    write: (chunk) => chunks.push(chunk),
    drained: () => chunks.drained(),
    get pendingBytes() {
      return 0;
    },
    close: (reason) => chunks.end(reason),
    signal: signal ? AbortSignal.any([left.signal, signal]) : left.signal,
  };
  body.write(sink).then(
    () => chunks.end(undefined),
    (error: unknown) => chunks.end(error),
  );
  try {
    yield* chunks;
  } finally {
    left.abort();
  }
}

const headEnd = "\r\n\r\n";

/** Reads the head of the response that accepts an upgrade. */
async function readAgreement(socket: Duplex): Promise<UpgradedStream> {
  let text = "";
  const parts = socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const part of parts) {
    text += part.toString("latin1");
    const end = text.indexOf(headEnd);
    if (end < 0) continue;
    const header = (name: string): string =>
      new RegExp(`^${name}: *(.*)$`, "im").exec(text.slice(0, end))?.[1]?.trim() ?? "";
    const protocol = header("sec-websocket-protocol") || header("x-stream-protocol-version");
    const head = Buffer.from(text.slice(end + headEnd.length), "latin1");
    return { protocol, upgrade: header("upgrade"), socket, head };
  }
  throw new Error("the connection was closed before the upgrade");
}
