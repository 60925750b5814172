import type { IncomingMessage } from "node:http";
import { type Exchange, headerValues } from "../model/exchange.ts";

export type Headers = Record<string, string | readonly string[]>;

/** Hop-by-hop headers: they concern one connection, not the message. Upstream: net/http/httputil/reverseproxy.go. */
const hopByHop = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that a backend may not send to the API server's clients. */
const crossOrigin = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);

/** The subprotocol by which browsers send a token, which the backend must not see. */
const bearerProtocol = "base64url.bearer.authorization.k8s.io.";

/** The headers of a client's request for a backend: without credentials, with the client's address. */
export function requestHeaders(exchange: Exchange, upgrade: boolean): Headers {
  const headers: Headers = {};
  const dropped = upgrade ? new Set<string>() : connectionHeaders(exchange);
  for (const name of Object.keys(exchange.headers)) {
    if (name.startsWith(":") || name.startsWith("impersonate-")) continue;
    if (name === "expect" || dropped.has(name)) continue;
    const values = headerValues(exchange, name);
    headers[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  const authority = exchange.headers[":authority"];
  if (typeof authority === "string") headers["host"] = authority;
  if (headers["sec-websocket-protocol"]) withoutBearer(headers);
  const before = headers["x-forwarded-for"];
  const chain = before === undefined ? [] : [before].flat();
  headers["x-forwarded-for"] = [...chain, exchange.peer.address].join(", ");
  return headers;
}

/** The headers of a backend's response for the client. */
export function responseHeaders(response: IncomingMessage, wrapped: boolean): Headers {
  const headers: Record<string, string | string[]> = {};
  const listed = namedIn([response.headers.connection ?? ""]);
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    const name = (response.rawHeaders[index] ?? "").toLowerCase();
    const value = response.rawHeaders[index + 1] ?? "";
    if (hopByHop.has(name) || listed.has(name) || (wrapped && crossOrigin.has(name))) continue;
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** Whether a request is for a protocol upgrade. */
export function asksForUpgrade(exchange: Exchange): boolean {
  const values = headerValues(exchange, "connection");
  return values.some((value) => value.toLowerCase().includes("upgrade"));
}

function connectionHeaders(exchange: Exchange): Set<string> {
  return new Set([...hopByHop, ...namedIn(headerValues(exchange, "connection"))]);
}

function namedIn(values: readonly string[]): Set<string> {
  return new Set(
    values.flatMap((value) => value.split(",")).map((name) => name.trim().toLowerCase()),
  );
}

function withoutBearer(headers: Headers): void {
  const name = "sec-websocket-protocol";
  const offered = [headers[name] ?? []]
    .flat()
    .flatMap((value) => value.split(","))
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "" && !protocol.startsWith(bearerProtocol));
  if (offered.length > 0) headers[name] = offered.join(", ");
  else delete headers[name];
}
