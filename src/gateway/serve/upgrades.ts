import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { joinConnections } from "#/std/net/join-connections.ts";
import type { Backends } from "../backends/backends.ts";
import { responseFields } from "../table/forwarded-fields.ts";
import type { ClientConnection } from "./exchange.ts";
import type { Forwarder } from "./forwarder.ts";
import { http1Request } from "./http1-exchange.ts";

/** Limit of the time for the backend's answer to an upgrade (ms). */
const upgradeMs = 60_000;

/** Whether a request is for a WebSocket, the only upgrade that is passed on: h2c could carry other requests past the routes. */
export const isWebSocket = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** Joins a client's WebSocket with its backend's. */
export function serveUpgrade(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  connection: ClientConnection,
  { forwarder, backends }: { readonly forwarder: Forwarder; readonly backends: Backends },
): void {
  client.on("error", () => client.destroy());
  const request = { ...http1Request(incoming, connection), body: undefined };
  const found = forwarder.route(request);
  if ("status" in found) {
    refuse(client, found.status);
    return;
  }
  const [endpoint] = backends.choose(found.to);
  if (!endpoint) {
    refuse(client, 503);
    return;
  }
  const upgrade = ["connection", "Upgrade", "upgrade", "websocket"];
  const outgoing = forwarder.open(request, endpoint, found.target, upgrade);
  const deadline = forwarder.deadlines.begin(upgradeMs, () =>
    outgoing.destroy(new Error("no answer in time")),
  );
  outgoing.once("close", () => deadline[Symbol.dispose]());
  outgoing.once("error", () => refuse(client, 502));
  outgoing.once("response", (response) => {
    refuse(client, response.statusCode ?? 502);
    response.destroy();
  });
  outgoing.once("upgrade", (response, backend, rest) => {
    deadline[Symbol.dispose]();
    const fields = ["connection", "Upgrade", "upgrade", "websocket"];
    client.write(headOf(101, [...responseFields(response.rawHeaders), ...fields]));
    if (rest.length > 0) client.write(rest);
    if (head.length > 0) backend.write(head);
    joinConnections(client, backend);
  });
  client.once("close", () => outgoing.destroy());
  outgoing.end();
}

function refuse(client: Duplex, status: number): void {
  if (client.destroyed || client.writableEnded) return;
  client.end(headOf(status, ["connection", "close", "content-length", "0"]));
}

function headOf(status: number, fields: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`];
  for (let at = 0; at < fields.length; at += 2) lines.push(`${fields[at]}: ${fields[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
