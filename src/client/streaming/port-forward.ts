/**
 * Upstream: staging/src/k8s.io/client-go/tools/portforward,
 * staging/src/k8s.io/apimachinery/pkg/util/portforward.
 */
import { Duplex } from "node:stream";
import { StatusError } from "#/machinery/meta/status-error.ts";
import { SpdyConnection } from "#/std/spdy/spdy-connection.ts";
import { WebSocket } from "#/std/websocket/websocket.ts";
import type { ApiRequest, Transport, UpgradedStream } from "../transport/transport.ts";

export const portForwardProtocol = "portforward.k8s.io";
/** SPDY inside a WebSocket, whose messages carry the bytes of SPDY. */
export const tunnelProtocol = "SPDY/3.1+portforward.k8s.io";

/** A connection to a pod that carries connections to its ports. */
export interface PortForward {
  /**
   * Connects to a port. Errors that the pod reports are thrown by error, which resolves when the
   * connection has ended.
   */
  connect(port: number): Promise<ForwardedConnection>;
  /** Resolves when the connection to the pod has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

interface ForwardedConnection {
  readonly data: Duplex;
  /** The error of the remote side; "" if there is none. */
  readonly error: Promise<string>;
}

interface OpenForwardOptions {
  /** Whether a WebSocket is tried first; default true. */
  readonly webSocket?: boolean;
}

/** Opens a port forward request: over a WebSocket, or over SPDY if the server refuses that. */
export async function openPortForward(
  transport: Transport,
  request: ApiRequest,
  { webSocket = true }: OpenForwardOptions = {},
): Promise<PortForward> {
  return (
    (webSocket ? await openTunnel(transport, request) : undefined) ?? openSpdy(transport, request)
  );
}

/** Undefined if the server refuses. */
async function openTunnel(
  transport: Transport,
  request: ApiRequest,
): Promise<PortForward | undefined> {
  try {
    const upgraded = await transport.upgrade({ ...request, method: "GET" }, [tunnelProtocol]);
    const { socket, head } = upgraded;
    const webSocket = new WebSocket(socket, { role: "client", head });
    return forwardOver(new SpdyConnection(tunnel(webSocket), { role: "client" }));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return undefined;
  }
}

async function openSpdy(transport: Transport, request: ApiRequest): Promise<PortForward> {
  const headers = { ...request.headers, upgrade: "SPDY/3.1" };
  const asked = { ...request, method: "POST", headers };
  return overSpdy(await transport.upgrade(asked, [portForwardProtocol]));
}

function overSpdy({ socket, head }: UpgradedStream): PortForward {
  return forwardOver(new SpdyConnection(socket, { role: "client", head }));
}

function forwardOver(connection: SpdyConnection): PortForward {
  let requests = 0;
  return {
    ended: connection.ended,
    close: () => connection.close(),
    async connect(port) {
      const common = { port: String(port), requestID: String(requests++) };
      const errors = await connection.openStream({ streamType: "error", ...common });
      errors.end();
      const data = await connection.openStream({ streamType: "data", ...common });
      return { data, error: readError(errors) };
    },
  };
}

function readError(stream: Duplex): Promise<string> {
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    stream.on("data", (part: Buffer) => parts.push(part));
    for (const event of ["end", "close", "error"]) {
      stream.once(event, () => resolve(Buffer.concat(parts).toString()));
    }
  });
}

/** The bytes of a WebSocket's messages as a duplex stream. */
export function tunnel(webSocket: WebSocket): Duplex {
  const messages = webSocket.messages();
  return new Duplex({
    allowHalfOpen: false,
    read() {
      messages.next().then(
        ({ done, value }) => {
          if (done) this.push(null);
          else if (value.data.length === 0) this._read(0);
          else this.push(value.data);
        },
        (error: Error) => this.destroy(error),
      );
    },
    write(chunk: Buffer, _encoding, done) {
      webSocket.send(chunk).then(() => done(), done);
    },
    final(done) {
      webSocket.close();
      done();
    },
    destroy(error, done) {
      webSocket.close();
      done(error);
    },
  });
}
