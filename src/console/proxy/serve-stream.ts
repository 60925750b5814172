import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Transport } from "#/client/transport/transport.ts";
import { asError } from "#/std/base/as-error.ts";
import { requestUrl } from "#/std/net/request-url.ts";
import { agreement } from "#/std/websocket/handshake.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";

/** Path at which the page gets a watch or a log as a WebSocket. */
export const streamPath = "/console/stream";

/** Codes of our own to close with: the status of the API server, added to 4000. */
const refusedCode = (status: number): number => 4000 + (status < 1000 ? status : 0);

interface StreamUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * Sends a response of the API server, as it arrives, in messages of a WebSocket. A browser opens no more than six
 * connections to a server without HTTP/2, and a few watches would take them all; WebSockets do not count.
 */
export async function serveStream(
  transport: Transport,
  { request, socket, head }: StreamUpgrade,
): Promise<void> {
  const url = requestUrl(request);
  const target = requestUrl({ url: url.searchParams.get("path") ?? "/" });
  const accept = url.searchParams.get("accept") ?? "application/json";
  socket.write(agreement(String(request.headers["sec-websocket-key"] ?? "")));
  const peer = new WebSocket(socket, { role: "server", head });
  const stop = new AbortController();
  socket.once("close", () => stop.abort());
  const reading = readUntilClosed(peer).finally(() => stop.abort());
  try {
    const { status, chunks } = await transport.stream({
      method: "GET",
      path: target.pathname,
      query: target.searchParams,
      headers: { ...impersonation(url.searchParams), accept },
      signal: stop.signal,
    });
    for await (const chunk of chunks) await peer.send(chunk);
    peer.close(status === 200 ? undefined : refusedCode(status));
  } catch (error) {
    if (!stop.signal.aborted) peer.close(refusedCode(502), asError(error).message.slice(0, 100));
  }
  await reading;
}

/** Headers with which a user asks for the rights of another: a page adds none to a WebSocket. */
const impersonating = ["impersonate-user", "impersonate-uid", "impersonate-group"];

const impersonation = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...query].filter(([name]) => impersonating.includes(name)));

/** The page sends nothing; its end is what is read. */
async function readUntilClosed(peer: WebSocket): Promise<void> {
  try {
    for await (const _ of peer.messages());
  } catch {
    peer.destroy();
  }
}
