/** Upstream: client-go/rest/request.go, with_retry.go; Go's net/http, client.go. */
import type { Agent as PlainAgent } from "node:http";
import type { Status } from "#/api/meta/v1.ts";
import { readYamlOrJson } from "#/machinery/codec/object-body.ts";
import { fromServerResponse } from "#/machinery/server-response.ts";
import { fromStatus } from "#/machinery/status-error.ts";
import type { Clock } from "#/std/clock.ts";
import { dialFailure } from "#/std/dial-failure.ts";
import { goQuote } from "#/std/go-quote.ts";
import { formatUrl, type GoUrl, parseUrl } from "./go-url.ts";
import {
  BrokenAnswer,
  type Destination,
  exchangeHttp,
  type HttpAnswer,
  type HttpCall,
} from "./http-call.ts";

/** Limit of requests that are sent again because the server asked for it. */
const maxRetries = 10;
/** Limit of redirects that are followed. */
const maxRedirects = 10;
/** Limit of what a message shows of an answer (bytes). */
const maxShownBytes = 2048;

/** A request that posts an object to another server. */
export interface RestCall {
  readonly url: GoUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connections for a server with TLS or without. */
  agent(secure: boolean): PlainAgent;
  /** Where a server is found; default by its name. */
  locate?(url: GoUrl): Destination;
  readonly signal: AbortSignal;
  /** What is said when the signal aborts; default that of a deadline. */
  readonly late?: string;
  readonly clock: Clock;
}

/** A server could not be asked. The message is that of Go's HTTP client. */
export class CallError extends Error {
  override readonly name = "CallError";
}

/** The answer of a server that does as it is asked; rejects with a CallError, a BrokenAnswer or a StatusError. */
export async function callRest(call: RestCall): Promise<HttpAnswer> {
  const answer = await withRetries(call);
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

/** Where an answer sends the client; undefined if it is an answer. */
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
      headers: sameHost ? headers : withoutSecrets(headers),
      ...(method === "POST" ? { body } : {}),
      signal,
    });
  } catch (error) {
    if (error instanceof BrokenAnswer && !signal.aborted) throw error;
    throw failed(call, url, error, destination);
  }
}

/** What is for one server only. */
function withoutSecrets({ authorization: _, ...others }: RestCall["headers"]): RestCall["headers"] {
  return others;
}

function failed(
  { signal, late = "context deadline exceeded" }: RestCall,
  url: GoUrl,
  error: unknown,
  { host, port }: Destination = url,
): CallError {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const reason = signal.aborted ? late : dialFailure(error, address);
  return new CallError(`Post ${goQuote(formatUrl(url))}: ${reason}`, { cause: error });
}

/** What client-go makes of an answer that is no success: the Status in it, or the code in words. */
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
    const value = readYamlOrJson(content).value as Status | null;
    const { kind, apiVersion = "v1", status } = value ?? {};
    return kind === "Status" && apiVersion === "v1" && status === "Failure"
      ? (value as Status)
      : undefined;
  } catch {
    return undefined;
  }
}
