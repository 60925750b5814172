/** Upstream: staging/src/k8s.io/client-go/rest/request.go, with_retry.go; Go's net/http, client.go. */
import type { Agent as PlainAgent } from "node:http";
import type { Status } from "#/api/meta/v1.ts";
import { fromServerResponse } from "#/machinery/meta/server-response.ts";
import { fromStatus, internalError } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import { formatUrl, type GoUrl, parseUrl } from "./go-url.ts";
import {
  BrokenAnswer,
  type Destination,
  exchangeHttp,
  type HttpAnswer,
  type HttpCall,
} from "./http-call.ts";
import { readAnswer } from "./read-answer.ts";

/** Limit of retries that the server requests (count). */
const maxRetries = 10;
/** Limit of redirects (count). */
const maxRedirects = 10;
/** Limit of a response that a message shows (bytes). */
const maxShownBytes = 2048;

/** A request that posts an object to another server. */
interface RestCall {
  readonly url: GoUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The agents for servers with or without TLS. */
  agent(secure: boolean): PlainAgent;
  /** Lookup of a server's address; default by its name. */
  locate?(url: GoUrl): Destination;
  readonly signal: AbortSignal;
  /** The message if the signal aborts; default that of a deadline. */
  readonly late?: string;
  readonly clock: Clock;
}

/** A request failed without a response. The message is that of Go's HTTP client. */
class CallError extends Error {
  override readonly name = "CallError";
}

/** The response to a request; rejects with a CallError, a BrokenAnswer or a StatusError. */
export async function callRest(call: RestCall): Promise<HttpAnswer> {
  const answer = await withRetries(call);
  const problem = mediaTypeProblem(answer.headers["content-type"] ?? "");
  if (problem !== undefined) throw internalError(new Error(`mime: ${problem}`));
  if (answer.status >= 200 && answer.status <= 206) return answer;
  throw failureOf(answer);
}

/** The bytes of an object; throws if there are none. */
export function contentOf({ status, headers, content }: HttpAnswer): Uint8Array {
  if (content.length > 0) return content;
  const type = headers["content-type"] || "application/json";
  throw new Error(`0-length response with status code: ${status} and content type: ${type}`);
}

async function withRetries(call: RestCall): Promise<HttpAnswer> {
  for (let retries = 0; ; retries++) {
    const answer = await followRedirects(call);
    const seconds = retryAfter(answer);
    const again = answer.status === 429 || answer.status >= 500;
    if (!again || seconds === undefined || retries === maxRetries) return answer;
    await call.clock.sleep(seconds * 1000, call.signal).catch((error: unknown) => {
      throw failed(call, call.url, error);
    });
  }
}

/** Go's error for an invalid media type. Upstream: Go's mime, mediatype.go. */
function mediaTypeProblem(header: string): string | undefined {
  if (header === "") return undefined;
  const [base = ""] = header.split(";", 1);
  const [, type, slash, subtype, rest] =
    /^([!#$%&'*+\-.^_`|~\w]*)(\/?)([!#$%&'*+\-.^_`|~\w]*)(.*)$/.exec(base.trim()) ?? [];
  if (!type) return "no media type";
  if (!slash) return rest ? "expected slash after first token" : undefined;
  if (!subtype) return "expected token after slash";
  return rest ? "unexpected content after media subtype" : undefined;
}

function retryAfter({ headers }: HttpAnswer): number | undefined {
  const text = headers["retry-after"] ?? "";
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

async function followRedirects(call: RestCall): Promise<HttpAnswer> {
  let { url } = call;
  let method: HttpCall["method"] = "POST";
  for (let redirects = 0; ; redirects++) {
    const answer = await send(call, url, method);
    const location = redirectOf(answer);
    if (location === undefined) return answer;
    const next = parseUrl(URL.parse(location, formatUrl(url))?.href ?? "");
    const shown = goQuote(formatUrl(url));
    if (!next)
      throw new CallError(`Post ${shown}: failed to parse Location header ${goQuote(location)}`);
    if (redirects + 1 >= maxRedirects) {
      throw new CallError(`Post ${goQuote(location)}: stopped after ${maxRedirects} redirects`);
    }
    if (answer.status < 307) method = "GET";
    url = next;
  }
}

/** The target of a redirect; undefined for another response. */
function redirectOf({ status, headers }: HttpAnswer): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  return headers["location"] || undefined;
}

async function send(call: RestCall, url: GoUrl, method: HttpCall["method"]): Promise<HttpAnswer> {
  const { headers, body, signal } = call;
  let destination: Destination = url;
  try {
    destination = call.locate?.(url) ?? url;
    const sameHost = url.authority === call.url.authority;
    return await exchangeHttp({
      method,
      url,
      destination,
      agent: call.agent(url.secure),
      headers: withoutUseless(headers, sameHost, method),
      ...(method === "POST" ? { body } : {}),
      signal,
    });
  } catch (error) {
    if (error instanceof BrokenAnswer && !signal.aborted) throw error;
    throw failed(call, url, error, destination);
  }
}

/** Headers without those for one server only, or of a body that is not sent. */
function withoutUseless(
  headers: RestCall["headers"],
  sameHost: boolean,
  method: HttpCall["method"],
): RestCall["headers"] {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) =>
        (sameHost || name !== "authorization") && (method === "POST" || name !== "content-type"),
    ),
  );
}

function failed(
  { signal, late = "context deadline exceeded" }: RestCall,
  url: GoUrl,
  error: unknown,
  { host, port }: Destination = url,
): CallError {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const reason = signal.aborted ? late : httpFailure(dialFailure(error, address));
  return new CallError(`Post ${goQuote(formatUrl(url))}: ${reason}`, { cause: error });
}

/** Go's HTTP client checks which bytes came instead of TLS. They are nearly always HTTP, and not visible here. */
const httpFailure = (reason: string): string =>
  reason === "tls: first record does not look like a TLS handshake"
    ? "http: server gave HTTP response to HTTPS client"
    : reason;

/** client-go's error for a failed response: the Status in it, or the text of the code. */
function failureOf(answer: HttpAnswer): Error {
  const { status: code, headers, content } = answer;
  const status = statusIn(content);
  if (status) return fromStatus(status);
  const type = headers["content-type"] ?? "";
  const text = Buffer.from(content.subarray(0, maxShownBytes)).toString("utf8").trim();
  const message = type === "" || /^\s*text\//i.test(type) ? text : "unknown";
  const retryAfterSeconds = retryAfter(answer) ?? 0;
  return fromServerResponse({ code, verb: "POST", message, unexpected: true, retryAfterSeconds });
}

function statusIn(content: Uint8Array): Status | undefined {
  try {
    const value = readAnswer(content) as Status | null;
    const { kind, apiVersion = "v1", status } = value ?? {};
    return kind === "Status" && apiVersion === "v1" && status === "Failure"
      ? (value as Status)
      : undefined;
  } catch {
    return undefined;
  }
}
