import type { Agent, IncomingMessage, ClientRequest as Outgoing } from "node:http";
import type { Socket } from "node:net";
import { Agent as HttpAgent, request as sendRequest } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backends } from "../backends/backends.ts";
import type { Endpoint } from "../backends/resolve-backend.ts";
import { requestFields, responseFields } from "../table/forwarded-fields.ts";
import { type RequestedTarget, readTarget } from "../table/request-target.ts";
import { type BackendRef, findTarget, type RouteTable } from "../table/route-table.ts";
import { Deadlines } from "./deadlines.ts";
import { type ClientReply, type ClientRequest, replyText } from "./exchange.ts";

interface ForwarderOptions {
  readonly table: () => RouteTable;
  readonly backends: Backends;
  readonly clock: Clock;
  /** Called with the status of each response, 0 if the client went before. */
  readonly onReply: (status: number, durationMs: number) => void;
}

/** Limit of the time for a connection to an endpoint (ms); then the next one is tried. */
const connectMs = 5_000;
/** Limit of endpoints that are tried for a request (count). */
const maxAttempts = 3;
/** Limit of the time in which a backend sends nothing before its response begins (ms), as nginx has it. */
const silentMs = 60_000;
/** The same within a response (ms): event streams are silent for long. */
const pauseMs = 15 * 60_000;
/** Limit of idle connections to one endpoint (count). */
const maxIdle = 64;
/** Limit of the header fields of a response (bytes). */
const maxFieldBytes = 64 * 1024;

/** An endpoint could not be reached: nothing of the request was sent. */
class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** The backend did not answer in time. */
class LateError extends Error {
  override readonly name = "LateError";
}

/** Passes requests on to backends, and their responses back. */
export class Forwarder implements Disposable {
  readonly #options: ForwarderOptions;
  readonly #agent: Agent = new HttpAgent({ keepAlive: true, maxFreeSockets: maxIdle });
  readonly deadlines: Deadlines;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.deadlines = new Deadlines(options.clock);
  }

  [Symbol.dispose](): void {
    this.deadlines[Symbol.dispose]();
    this.#agent.destroy();
  }

  /** The backend of a request, or the reply to one that has none. */
  route(
    request: ClientRequest,
  ):
    | { readonly to: BackendRef; readonly target: RequestedTarget }
    | { status: number; text: string } {
    const target = readTarget(request.target, request.host);
    if (!target || request.method === "CONNECT") return { status: 400, text: "bad request\n" };
    const found = findTarget(this.#options.table(), target.host, target.path);
    return found.kind === "backend" ? { to: found, target } : found;
  }

  /** Serves a request; never rejects. */
  readonly serve = (request: ClientRequest, reply: ClientReply): void => {
    const { clock, onReply } = this.#options;
    const startMs = clock.monotonicMs();
    const counted = (status: number): void => onReply(status, clock.monotonicMs() - startMs);
    const found = this.route(request);
    if ("status" in found) {
      counted(found.status);
      replyText(reply, found.status, found.text);
      return;
    }
    this.#forward(request, reply, found).then(counted, (error: unknown) => {
      const status = error instanceof LateError ? 504 : 502;
      counted(status);
      if (reply.hasBegun) reply.abort();
      else replyText(reply, status, "the backend did not answer\n");
    });
  };

  /** Resolves with the status when the response has begun. */
  async #forward(
    request: ClientRequest,
    reply: ClientReply,
    { to, target }: { readonly to: BackendRef; readonly target: RequestedTarget },
  ): Promise<number> {
    const endpoints = this.#options.backends.choose(to).slice(0, maxAttempts);
    let last: unknown;
    for (const endpoint of endpoints) {
      try {
        const response = await this.#ask(request, reply, endpoint, target);
        if (!response) return 0;
        const { statusCode = 502 } = response;
        reply.begin(statusCode, responseFields(response.rawHeaders));
        this.#pump(response, reply);
        return statusCode;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        last = error;
      }
    }
    if (last) throw last;
    replyText(reply, 503, "the backend has no ready endpoints\n");
    return 503;
  }

  /** Sends a request to an endpoint; undefined if the client goes before the response. */
  async #ask(
    request: ClientRequest,
    reply: ClientReply,
    endpoint: Endpoint,
    target: RequestedTarget,
  ): Promise<IncomingMessage | undefined> {
    const outgoing = this.open(request, endpoint, target, framing(request));
    const answered = Promise.withResolvers<IncomingMessage | undefined>();
    outgoing.once("response", answered.resolve).once("error", answered.reject);
    answered.promise.catch(() => undefined); // It is not awaited if there is no connection.
    reply.onGone(() => {
      outgoing.destroy();
      answered.resolve(undefined);
    });
    using deadline = this.deadlines.begin(connectMs, () =>
      outgoing.destroy(new Error("no connection in time")),
    );
    try {
      await connected(outgoing);
      deadline[Symbol.dispose]();
      using _silence = this.#limitSilence(request, outgoing);
      if (request.body) request.body.pipe(outgoing);
      else outgoing.end();
      return await answered.promise;
    } catch (error) {
      // An idle connection was closed meanwhile; only a request without effects may be repeated.
      const isStale = outgoing.reusedSocket && !request.body && isSafe(request.method);
      if (isStale && isReset(error))
        throw new UnreachableError("stale connection", { cause: error });
      throw error;
    }
  }

  /** A request to an endpoint that is not sent yet. */
  open(
    request: ClientRequest,
    { address, port }: Endpoint,
    { path, query, authority }: RequestedTarget,
    more: readonly string[],
  ): Outgoing {
    const { connection } = request;
    const outgoing = sendRequest({
      agent: this.#agent,
      host: address,
      port,
      method: request.method,
      path: path + query,
      headers: [...requestFields(request.fields, { ...connection, authority }), ...more],
      maxHeaderSize: maxFieldBytes,
      setHost: false,
    });
    // It may fail again after its failure is known.
    outgoing.on("error", () => undefined);
    return outgoing;
  }

  /** A backend that is silent for long while it should answer is given up; a body on its way counts as progress. */
  #limitSilence({ body }: ClientRequest, outgoing: Outgoing): Disposable {
    const late = (): void => void outgoing.destroy(new LateError("no response in time"));
    const deadline = this.deadlines.begin(silentMs, late);
    body?.on("data", () => deadline.extend(silentMs));
    return deadline;
  }

  /** Passes a body on, as fast as the client reads. */
  #pump(response: IncomingMessage, reply: ClientReply): void {
    const deadline = this.deadlines.begin(pauseMs, () => response.destroy());
    response.on("data", (chunk: Buffer) => {
      deadline.extend(pauseMs);
      if (reply.write(chunk)) return;
      response.pause();
      reply.drained().then(() => response.resume());
    });
    response.once("end", () => reply.end());
    response.once("error", () => reply.abort());
    response.once("close", () => deadline[Symbol.dispose]());
    reply.onGone(() => response.destroy());
  }
}

/** Resolves when a request has a connection; rejects with an UnreachableError. */
async function connected(outgoing: Outgoing): Promise<void> {
  const opened = Promise.withResolvers<void>();
  const fail = (error: Error): void =>
    opened.reject(new UnreachableError(error.message, { cause: error }));
  outgoing.once("error", fail);
  outgoing.once("socket", (socket: Socket) => {
    if (socket.connecting) socket.once("connect", () => opened.resolve());
    else opened.resolve();
  });
  try {
    await opened.promise;
  } finally {
    outgoing.off("error", fail);
  }
}

/** The fields that delimit the body towards the backend: never those of the client. */
function framing({ body, fields, method }: ClientRequest): string[] {
  const isDeclared = fields.some((name, at) => at % 2 === 0 && /^content-length$/i.test(name));
  if (isDeclared) return [];
  if (body) return ["transfer-encoding", "chunked"];
  return /^(?:POST|PUT|PATCH)$/.test(method) ? ["content-length", "0"] : [];
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

const isReset = (error: unknown): boolean =>
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
