import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import { joinUpgrade, refuseUpgrade } from "#/client/streaming/join-upgrade.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { asError } from "#/std/base/as-error.ts";
import { requestUrl } from "#/std/net/request-url.ts";

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
  const { pathname, searchParams } = requestUrl(request);
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
  const { pathname, searchParams } = requestUrl(request);
  try {
    await joinUpgrade(
      transport,
      {
        method: "GET",
        path: pathname,
        query: searchParams,
        headers: forwardedHeaders(request),
        signal: stop.signal,
      },
      { headers: request.headers, socket, head },
    );
  } catch (error) {
    refuseUpgrade(socket, error instanceof StatusError ? error.code : 502, asError(error).message);
  }
}
