import { type Clock, systemClock } from "#/std/time/clock.ts";
import { enterWork } from "#/std/time/turn-watch.ts";
import { describeRequest } from "../model/describe-request.ts";
import {
  bodyChunks,
  type Exchange,
  type Handler,
  type Reply,
  type Sink,
  type UserInfo,
} from "../model/exchange.ts";
import { parseRequestInfo } from "../model/request-info.ts";
import { decodePath } from "../model/request-path.ts";

/** A request from the same process: without sockets, and without parsing of objects. */
interface InProcessRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Instead of a body. Never changed by the server. */
  readonly object?: unknown;
  readonly user?: UserInfo;
  readonly signal?: AbortSignal;
  readonly takesObjects?: boolean;
  readonly upgrade?: Exchange["upgrade"];
  /** Clock for the time of arrival; default is the machine's. */
  readonly clock?: Clock;
}

const neverAborted = new AbortController().signal;

/** Sends a request through all the filters of a server in this process. */
export function callInProcess(handler: Handler, request: InProcessRequest): Promise<Reply> {
  const { method, url, headers = {}, body, object, user, signal = neverAborted } = request;
  const mark = url.indexOf("?");
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const path = decodePath(rawPath);
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
  const exchange: Exchange = {
    method,
    path,
    rawPath,
    query,
    headers,
    peer: { address: "127.0.0.1", certificates: [], secure: true, ...(user ? { user } : {}) },
    signal,
    receivedMs: (request.clock ?? systemClock).monotonicMs(),
    readBody: async () => body ?? new Uint8Array(),
    ...(object === undefined ? {} : { object }),
    takesObjects: request.takesObjects ?? false,
    upgrade: request.upgrade,
    info: parseRequestInfo({ method, path, query }),
    user: undefined,
    auditId: "",
    trail: undefined,
    warnings: new Set(),
    annotations: new Map(),
  };
  enterWork({ workKind: "request", describeWork: () => describeRequest(exchange) });
  return handler(exchange);
}

/** The whole body of a response; for a stream, everything until its end. */
export async function collectBody(
  { body }: Reply,
  signal: AbortSignal = neverAborted,
): Promise<Buffer> {
  if (body.type === "upgraded") return Buffer.alloc(0);
  if (body.type !== "stream") return Buffer.concat(bodyChunks(body));
  const chunks: Uint8Array[] = [];
  const sink: Sink = {
    write: (chunk) => chunks.push(chunk) > 0,
    drained: async () => undefined,
    pendingBytes: 0,
    close: () => undefined,
    signal,
  };
  await body.write(sink);
  return Buffer.concat(chunks);
}
