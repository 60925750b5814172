import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { acceptKey } from "#/std/websocket/handshake.ts";
import type { ApiRequest, Transport, UpgradedStream } from "../transport/transport.ts";

/** A client of a proxy, on a connection that is to change its protocol. */
interface UpgradingClient {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
  /** Bytes that arrived with the head of the request. */
  readonly head: Uint8Array;
}

/** Sends a client's upgrade on to an API server, and joins both connections. Throws if the server refuses. */
export async function joinUpgrade(
  transport: Transport,
  request: ApiRequest,
  { headers, socket, head }: UpgradingClient,
): Promise<void> {
  const remote = await transport.upgrade(request, []);
  socket.write(switchingText(headers, remote));
  if (remote.head.length > 0) socket.write(remote.head);
  if (head.length > 0) remote.socket.write(head);
  remote.socket.on("error", () => socket.destroy());
  socket.once("close", () => remote.socket.destroy());
  socket.pipe(remote.socket).pipe(socket);
}

function switchingText(headers: IncomingHttpHeaders, remote: UpgradedStream): string {
  const key = headers["sec-websocket-key"];
  const protocolHeader = key === undefined ? "x-stream-protocol-version" : "sec-websocket-protocol";
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "connection: Upgrade",
    `upgrade: ${remote.upgrade}`,
    ...(key === undefined ? [] : [`sec-websocket-accept: ${acceptKey(key)}`]),
    ...(remote.protocol === "" ? [] : [`${protocolHeader}: ${remote.protocol}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Answers a request for another protocol with an error. */
export function refuseUpgrade(socket: Duplex, code: number, message: string): void {
  const text = `${message}\n`;
  const head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}\r\nconnection: close\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
