/**
 * Translates between WebSocket clients and SPDY-only servers: kubelets before 1.36, and container
 * runtimes.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/proxy (streamtranslator.go, streamtunnel.go,
 * websocket.go).
 */
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Status } from "#/api/meta/v1.ts";
import { internalError, StatusError } from "#/machinery/meta/status-error.ts";
import { agreement, offeredProtocols } from "#/std/websocket/handshake.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";
import { acceptCommand, joinCommand, sendStatus, type WebSocketRequest } from "./accept-command.ts";
import { streamProtocols } from "./channels.ts";
import { portForwardProtocol, tunnel, tunnelProtocol } from "./port-forward.ts";
import { type CommandStreams, exitCodeOf, overSpdy, spdyProtocols } from "./remote-command.ts";

/** An upgraded connection, and the bytes that arrived after the head of its request or response. */
export interface RawConnection {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** A client that requests a WebSocket. */
interface WebSocketClient {
  /** Names in lower case. */
  readonly headers: WebSocketRequest["headers"];
  /** Takes over its connection; no response has been sent yet. */
  accept(): RawConnection;
}

/** Requests SPDY with one of the stream protocols from the server; throws its refusal. */
export type DialSpdy = (protocols: readonly string[]) => Promise<RawConnection>;

/** The translation that a request needs if the server only supports SPDY; undefined if none. */
export function wantedTranslation(
  headers: WebSocketClient["headers"],
): "command" | "tunnel" | undefined {
  if (String(headers["upgrade"]).toLowerCase() !== "websocket") return undefined;
  if (headers["sec-websocket-key"] === undefined) return undefined;
  const offered = offeredProtocols([headers["sec-websocket-protocol"] ?? []].flat().join(","));
  if (offered.includes(streamProtocols.v5)) return "command";
  return offered.includes(tunnelProtocol) ? "tunnel" : undefined;
}

/** The headers of a SPDY request. */
export function spdyHeaders(protocols: readonly string[]): Record<string, string | string[]> {
  return {
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": [...protocols],
  };
}

/**
 * Connects a client's streams with those of a server until the command has ended. Errors are sent
 * on the error channel.
 */
export async function translateCommand(
  client: WebSocketClient,
  streams: CommandStreams,
  dial: DialSpdy,
): Promise<void> {
  const accepted = acceptCommand({ headers: client.headers, ...client.accept() }, streams);
  if (!accepted) return;
  try {
    const command = await overSpdy(await dial(spdyProtocols), streams);
    const status = command.status.then(asProxyStatus, statusOf);
    await joinCommand(accepted, { ...command, status }, streams);
  } catch (error) {
    await sendStatus(accepted, statusOf(error));
    accepted.close();
  }
}

/**
 * Opens port forwarding: the messages of the client's WebSocket are the bytes of the server's
 * connection. The client is accepted only after the server has agreed.
 */
export async function translateTunnel(client: WebSocketClient, dial: DialSpdy): Promise<void> {
  const server = await dial([portForwardProtocol]);
  const { socket, head } = client.accept();
  socket.write(agreement(String(client.headers["sec-websocket-key"]), tunnelProtocol));
  const bytes = tunnel(new WebSocket(socket, { role: "server", head }));
  if (server.head.length > 0) bytes.write(server.head);
  void Promise.allSettled([pipeline(bytes, server.socket), pipeline(server.socket, bytes)]);
}

/** The exit status of a command, in the form that a translating proxy sends. */
function asProxyStatus(status: Status): Status {
  if (status.status === "Success") return { metadata: {}, status: "Success" };
  const code = exitCodeOf(status);
  if (code === undefined) return internalError(new Error(status.message ?? "")).status;
  const exit = `command terminated with exit code ${code}`;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: ${exit}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  return internalError(error instanceof Error ? error : new Error(String(error))).status;
}
