import type { IncomingMessage } from "node:http";
import { joinConnections } from "#/std/net/join-connections.ts";
import { systemClock } from "#/std/time/clock.ts";
import type { UpgradedSocket } from "../model/exchange.ts";

/**
 * Sends the client the backend's response to the upgrade, unchanged, and joins the two connections, optionally with a
 * limit of bytes per second each way.
 */
export function openTunnel(
  client: UpgradedSocket,
  backend: UpgradedSocket,
  agreement: IncomingMessage,
  bytesPerSecond = 0,
): void {
  client.socket.write(headOf(agreement));
  if (backend.head.length > 0) client.socket.write(backend.head);
  if (client.head.length > 0) backend.socket.write(client.head);
  joinConnections(client.socket, backend.socket, systemClock, bytesPerSecond);
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
