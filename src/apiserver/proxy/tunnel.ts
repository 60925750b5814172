import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { UpgradedSocket } from "../http/exchange.ts";

/** Tells the client that the backend has agreed, in the backend's own words, and joins the two connections. */
export function openTunnel(
  client: UpgradedSocket,
  backend: UpgradedSocket,
  agreement: IncomingMessage,
): void {
  client.socket.write(headOf(agreement));
  if (backend.head.length > 0) client.socket.write(backend.head);
  if (client.head.length > 0) backend.socket.write(client.head);
  join(client.socket, backend.socket);
}

/**
 * Passes bytes both ways until both sides have ended. A side that has ended may still listen; one that breaks, or
 * goes away, takes the other with it.
 */
function join(client: Duplex, backend: Duplex): void {
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    from.allowHalfOpen = true;
    from.on("error", () => to.destroy());
    from.once("close", () => to.destroyed || endSoon(to));
    from.pipe(to);
  }
}

/** What was written is still sent; then the connection is closed for both directions. */
function endSoon(socket: Duplex): void {
  socket.end(() => socket.destroy());
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
