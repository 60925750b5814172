/** Upstream: pkg/probe/http/http.go, pkg/probe/http/request.go. */

import type { IncomingMessage } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as tlsRequest } from "node:https";
import { kubernetesMinor } from "#/api/base/kubernetes-version.ts";
import type { Container, HTTPGetAction } from "#/api/core/v1.ts";
import { request as plainRequest } from "#/std/net/node-http.ts";
import type { Clock } from "#/std/time/clock.ts";
import { dialFailure } from "#/std/tls/dial-failure.ts";
import { containerPort } from "./container-port.ts";

/** Limit of a body (bytes): the rest is not read. */
const maxBodyBytes = 10 << 10;
const maxRedirects = 10;

interface HttpGetRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string[]>>;
  /** Over HTTP/2 without TLS. */
  readonly h2c?: boolean;
}

interface HttpGetResponse {
  readonly status: number;
  readonly body: string;
}

/** The request of an httpGet action; its host is the pod's IP unless the action has one. */
export function httpGetRequest(
  action: HTTPGetAction,
  container: Container,
  podIP: string,
  purpose = "probe",
): HttpGetRequest {
  const scheme = (action.scheme || "HTTP").toLowerCase();
  const host = action.host || podIP;
  const port = containerPort(action.port, container);
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const path = action.path ?? "";
  const url = new URL(`${scheme}://${authority}${path.startsWith("/") ? "" : "/"}${path}`);
  const headers: Record<string, string[]> = {};
  for (const { name, value } of action.httpHeaders ?? []) {
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  headers["user-agent"] ??= [`kube-${purpose}/${kubernetesMinor}`];
  headers["accept"] ??= ["*/*"];
  if (headers["accept"]?.[0] === "") delete headers["accept"];
  if (headers["host"]?.[0] === "") delete headers["host"];
  return { url, headers, ...(action.protocol === "HTTP2" ? { h2c: true } : {}) };
}

/**
 * Sends the request, follows redirects on the same host, and reads the start of the body. Throws an Error with Go's
 * text.
 */
export async function httpGet(
  request: HttpGetRequest,
  timeoutMs: number,
  clock: Clock,
  given?: AbortSignal,
): Promise<HttpGetResponse> {
  const timeout = new AbortController();
  const signal = given ? AbortSignal.any([timeout.signal, given]) : timeout.signal;
  using _timer = clock.setTimer(timeoutMs, () => timeout.abort());
  let { url } = request;
  try {
    for (let hop = 0; ; hop++) {
      const { status, body, location } = await (request.h2c ? getH2c : getOnce)(
        url,
        request.headers,
        signal,
      );
      if (status < 300 || status >= 400 || location === undefined) return { status, body };
      const next = new URL(location, url);
      if (next.hostname !== request.url.hostname) return { status, body };
      if (hop + 1 >= maxRedirects) throw new Error("stopped after 10 redirects");
      url = next;
    }
  } catch (cause) {
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    const reason = timeout.signal.aborted
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : dialFailure(cause, `${url.hostname}:${port}`);
    throw new Error(`Get "${url.href}": ${reason}`, { cause });
  }
}

interface Answer extends HttpGetResponse {
  readonly location: string | undefined;
}

function getOnce(
  url: URL,
  headers: HttpGetRequest["headers"],
  signal: AbortSignal,
): Promise<Answer> {
  const send = url.protocol === "https:" ? tlsRequest : plainRequest;
  const options = {
    headers,
    signal,
    agent: false,
    rejectUnauthorized: false,
    // Small servers end lines with LF alone; Go accepts that.
    insecureHTTPParser: true,
  } as const;
  return new Promise((resolve, reject) => {
    send(url, options, (response) => readAnswer(response).then(resolve, reject))
      .on("error", reject)
      .end();
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const { statusCode = 0, headers } = response;
  return { status: statusCode, body: await readBody(response), location: headers.location };
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBodyBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes).toString();
}

function getH2c(url: URL, headers: HttpGetRequest["headers"], signal: AbortSignal) {
  return new Promise<Answer>((resolve, reject) => {
    const session = connectHttp2(url.origin, { signal } as object);
    session.on("error", reject);
    const { host, ...rest } = headers;
    const authority = host?.[0] ?? url.host;
    const path = `${url.pathname}${url.search}`;
    const sent = { ":path": path, ":authority": authority, ":scheme": "http", ...rest };
    const stream = session.request(sent, { signal });
    stream.on("error", reject).on("close", () => session.destroy());
    stream.on("response", (received) => {
      const location = received["location"];
      readBody(stream).then(
        (body) => resolve({ status: received[":status"] ?? 0, body, location }),
        reject,
      );
    });
    stream.end();
  });
}
