import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import type { Transport, UpgradedStream } from "#/client/transport/transport.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { asError } from "#/std/base/as-error.ts";
import { acceptKey } from "#/std/websocket/handshake.ts";

/** Headers of one connection or of the session, which are not passed on. */
const ownHeaders = new Set([
  "host",
  "connection",
  "authorization",
  "cookie",
  "origin",
  "referer",
  "transfer-encoding",
  "content-length",
  "keep-alive",
  "x-k8ts-console",
]);

/** Headers of responses that are not passed on: the console's own policy holds. */
const droppedHeaders = new Set(["connection", "transfer-encoding", "keep-alive", "set-cookie"]);

/** Sends a request on to the API server, as the user of the kubeconfig, and its response back as it arrives. */
export async function forwardRequest(
  transport: Transport,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { "content-length": length, "transfer-encoding": coding } = request.headers;
  const hasBody = coding !== undefined || Number(length ?? 0) > 0;
  const stop = new AbortController();
  response.once("close", () => stop.abort());
  const { pathname, searchParams } = targetOf(request);
  try {
    const { status, headers, chunks } = await transport.stream({
      method: request.method ?? "GET",
      path: pathname,
      query: searchParams,
      headers: {
        ...forwardedHeaders(request),
        ...(hasBody && length !== undefined ? { "content-length": length } : {}),
      },
      signal: stop.signal,
      ...(hasBody ? { body: request } : {}),
    });
    const passed = Object.entries(headers).filter(([name]) => !droppedHeaders.has(name));
    response.writeHead(status, {
      ...Object.fromEntries(passed),
      "x-content-type-options": "nosniff",
    });
    response.flushHeaders();
    for await (const chunk of chunks) if (!response.write(chunk)) await drained(response);
    response.end();
  } catch (error) {
    if (stop.signal.aborted) return;
    if (response.headersSent) response.destroy();
    else sendFailure(response, error);
  }
}

/** Resolves when the client has read what was written, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  const stop = new AbortController();
  const gone = finished(response, { signal: stop.signal }).catch(() => undefined);
  const ready = new Promise((resolve) => response.once("drain", resolve));
  await Promise.race([ready, gone]);
  stop.abort();
}

/** The API server was not reached: a Status, as from any API server. */
function sendFailure(response: ServerResponse, error: unknown): void {
  const message = `The API server cannot be reached: ${asError(error).message}`;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "ServiceUnavailable",
    code: 502,
    message,
  };
  response.writeHead(502, { "content-type": "application/json" });
  response.end(JSON.stringify(status));
}

const targetOf = ({ url = "/" }: IncomingMessage): URL => new URL(`http://proxy${url}`);

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || ownHeaders.has(name) || name.startsWith("sec-fetch-")
      ? []
      : [[name, String(value)] as const],
  );
  return Object.fromEntries(entries);
}

/** Joins a connection that changes its protocol, such as exec, with one to the API server. */
export async function forwardUpgrade(
  transport: Transport,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
): Promise<void> {
  const stop = new AbortController();
  socket.once("close", () => stop.abort());
  const { pathname, searchParams } = targetOf(request);
  try {
    const remote = await transport.upgrade(
      {
        method: "GET",
        path: pathname,
        query: searchParams,
        headers: forwardedHeaders(request),
        signal: stop.signal,
      },
      [],
    );
    socket.write(switchingText(request, remote));
    if (remote.head.length > 0) socket.write(remote.head);
    if (head.length > 0) remote.socket.write(head);
    remote.socket.on("error", () => socket.destroy());
    socket.once("close", () => remote.socket.destroy());
    socket.pipe(remote.socket).pipe(socket);
  } catch (error) {
    refuseUpgrade(socket, error instanceof StatusError ? error.code : 502, asError(error).message);
  }
}

function switchingText({ headers }: IncomingMessage, remote: UpgradedStream): string {
  const key = headers["sec-websocket-key"];
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "connection: Upgrade",
    `upgrade: ${remote.upgrade}`,
    ...(key === undefined ? [] : [`sec-websocket-accept: ${acceptKey(key)}`]),
    ...(remote.protocol === "" ? [] : [`sec-websocket-protocol: ${remote.protocol}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Answers a request for another protocol with an error. */
export function refuseUpgrade(socket: Duplex, code: number, message: string): void {
  const text = `${message}\n`;
  const head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}\r\nconnection: close\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
