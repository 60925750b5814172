import type { IncomingMessage } from "node:http";
import { valueSeparator } from "./credentials.ts";
import { responseError } from "./response-error.ts";
import type { ApiRequest, Headers } from "./transport.ts";
import { userAgent } from "./user-agent.ts";

/** The error of a refused stream request. */
export async function refusal(request: ApiRequest, response: IncomingMessage): Promise<unknown> {
  const headers = headersOf(response);
  const body = parseBody(await readAll(response), headers);
  const status = response.statusCode ?? 0;
  const error = responseError(request, { status, headers, body });
  return error ?? new Error(`unexpected status ${status} of a request for a stream`);
}

/** The whole body, as text. */
export async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString();
}

/** The parsed JSON if the content type is JSON, else the text. */
export function parseBody(text: string, headers: Headers): unknown {
  if (!headers["content-type"]?.startsWith("application/json")) return text;
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}

/** The headers of an answer. */
export function headersOf({ headers }: IncomingMessage): Headers {
  return headers as Headers;
}

/** The content type of a body, unless the request sets one. */
function contentType(body: unknown): Record<string, string> {
  return body === undefined ? {} : { "content-type": "application/json" };
}

/** The headers of a request, with those that authenticate it. */
export function requestHeaders(
  { body, headers }: ApiRequest,
  proof: Headers,
  agent = userAgent("k8ts"),
): Record<string, string> {
  return {
    "user-agent": agent,
    accept: "application/json",
    ...contentType(body),
    ...proof,
    ...headers,
  };
}

/** A body as sent on the wire. */
export function bodyBytes(body: unknown): Uint8Array | string | undefined {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}

/** Headers with several values, such as groups, are sent several times. */
export function repeated(
  headers: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { ...headers };
  for (const [name, value] of Object.entries(headers)) {
    if (value.includes(valueSeparator)) all[name] = value.split(valueSeparator);
  }
  return all;
}

/** The headers of a WebSocket request, unless the request has those of another upgrade (SPDY). */
export function upgradeHeaders(
  request: ApiRequest,
  key: string,
  protocols: readonly string[],
): Record<string, string> {
  const connection = { connection: "Upgrade" };
  if (request.headers?.["upgrade"] !== undefined) {
    return { ...connection, "x-stream-protocol-version": protocols.join(valueSeparator) };
  }
  return {
    ...connection,
    upgrade: "websocket",
    "sec-websocket-key": key,
    "sec-websocket-version": "13",
    ...(protocols.length > 0 ? { "sec-websocket-protocol": protocols.join(", ") } : {}),
  };
}

/** The agreed protocol. */
export function protocolOf({ headers }: IncomingMessage): string {
  const protocol = headers["sec-websocket-protocol"] ?? headers["x-stream-protocol-version"];
  return (Array.isArray(protocol) ? protocol[0] : protocol) ?? "";
}
