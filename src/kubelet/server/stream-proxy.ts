import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { logger } from "#/std/log.ts";

const log = logger("stream-proxy");
/** Of the client's headers, these are not for the runtime. */
const withheld = new Set(["host", "authorization", "x-forwarded-for"]);

/**
 * Hands an upgraded connection over to the runtime's streaming server, byte by byte, whatever they speak there (SPDY or
 * WebSocket).
 *
 * Upstream: pkg/kubelet/server/server.go, apimachinery/pkg/util/proxy/upgradeaware.go.
 */
export function proxyStream(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  target: URL,
): void {
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const backend = connect({ host, port: Number(target.port || 80), allowHalfOpen: true });
  const fail = (error: Error) => {
    // Once they talk to each other, either may hang up.
    if (backend.bytesRead > 0) client.destroy();
    else {
      log.error(error, "Error while proxying request");
      refuseUpgrade(client, 500, error.message);
    }
    backend.destroy();
  };
  backend.on("error", fail);
  client.on("error", () => backend.destroy());
  client.on("close", () => backend.destroy());
  backend.on("close", () => client.end());
  backend.on("connect", () => {
    backend.setNoDelay(true);
    backend.write(requestHead(request, target));
    if (head.length > 0) backend.write(head);
    client.pipe(backend);
    backend.pipe(client);
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

/** Answers a request for an upgrade that isn't granted. */
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
