import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandStreams } from "#/client/streaming/remote-command.ts";
import {
  type DialSpdy,
  type RawConnection,
  spdyHeaders,
  translateCommand,
  translateTunnel,
  wantedTranslation,
} from "#/client/streaming/translate.ts";
import { logger } from "#/std/log/log.ts";
import { joinConnections } from "#/std/net/join-connections.ts";
import { request as httpRequest } from "#/std/net/node-http.ts";

const log = logger("stream-proxy");
/** Headers of the client that are not forwarded to the runtime. */
const withheld = new Set(["host", "authorization", "x-forwarded-for"]);

/** The runtime's URL of a stream, and which streams the command has. */
export interface StreamTarget {
  readonly url: URL;
  readonly streams?: CommandStreams;
}

/** The address of a stream as the runtime wrote it; some leave out the scheme. */
export const streamUrl = (text: string): URL => new URL(text, "http://127.0.0.1");

/** Connects a client with the runtime's streaming server, which may not know newer protocols of clients. */
export async function serveStream(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { url, streams }: StreamTarget,
): Promise<void> {
  const translation = wantedTranslation(request.headers);
  const webSocket = { headers: request.headers, accept: () => ({ socket: client, head }) };
  const dial = dialRuntime(url);
  if (translation === "tunnel") await translateTunnel(webSocket, dial);
  else if (translation && streams) await translateCommand(webSocket, streams, dial);
  else proxyStream(request, client, head, url);
}

function dialRuntime(url: URL): DialSpdy {
  return (protocols) => {
    const answered = Promise.withResolvers<RawConnection>();
    const request = httpRequest(url, { method: "POST", headers: spdyHeaders(protocols) });
    request.once("upgrade", (_, socket, head) => answered.resolve({ socket, head }));
    request.once("response", async (response) => {
      const said = await text(response).catch(() => "");
      answered.reject(new Error(`unable to upgrade connection: ${said}`));
    });
    request.once("error", answered.reject);
    request.end();
    return answered.promise;
  };
}

/**
 * Forwards an upgraded connection to the runtime's streaming server, byte by byte, whatever its protocol is (SPDY or
 * WebSocket).
 *
 * Upstream: pkg/kubelet/server/server.go, apimachinery/pkg/util/proxy/upgradeaware.go.
 */
function proxyStream(request: IncomingMessage, client: Duplex, head: Buffer, target: URL): void {
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const backend = connect({ host, port: Number(target.port || 80), allowHalfOpen: true });
  const fail = (error: Error) => {
    log.error(error, "Error while proxying request");
    refuseUpgrade(client, 500, error.message);
  };
  const giveUp = () => backend.destroy();
  backend.once("error", fail);
  client.once("close", giveUp);
  backend.once("connect", () => {
    backend.off("error", fail);
    client.off("close", giveUp);
    backend.setNoDelay(true);
    backend.write(requestHead(request, target));
    if (head.length > 0) backend.write(head);
    joinConnections(client, backend);
  });
}

function requestHead(request: IncomingMessage, target: URL): string {
  const lines = [
    `${request.method} ${target.pathname}${target.search} HTTP/1.1`,
    `Host: ${target.host}`,
  ];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? "";
    if (!withheld.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
};

/** Refuses a request for an upgrade. */
export function refuseUpgrade(client: Duplex, status: number, message: string): void {
  const body = Buffer.from(message);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status] ?? ""}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  client.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
}
