import { once } from "node:events";
import { type Socket, connect as tcpConnect } from "node:net";
import { connectTls, type TlsClientOptions } from "#/std/tls/connect-tls.ts";

/** Address of a proxy: a unix socket, or host and port, with or without TLS. */
export type ProxyAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number; readonly tls?: TlsClientOptions };

/** Limit of a response to CONNECT (bytes). */
const maxHeadBytes = 1 << 20;

/**
 * A connection to an address through an HTTP proxy; ends if the signal aborts before it is open.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/egressselector/egress_selector.go.
 */
export async function connectThrough(
  proxy: ProxyAddress,
  address: string,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const isSecure = "host" in proxy && proxy.tls !== undefined;
  const socket = isSecure ? connectTls({ ...proxy, ...proxy.tls }) : tcpConnect(proxy);
  // Kept for the lifetime of the socket: callers get errors by their own listeners.
  socket.on("error", () => socket.destroy());
  const giveUp = (): void => void socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await once(socket, isSecure ? "secureConnect" : "connect");
    if (socket.errored) throw socket.errored;
    await askFor(address, socket, "path" in proxy ? proxy.path : `${proxy.host}:${proxy.port}`);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

async function askFor(address: string, socket: Socket, shown: string): Promise<void> {
  socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const { status, rest } = await readHead(socket).catch((error: Error) => {
    throw new Error(
      `reading HTTP response from CONNECT to ${address} via proxy ${shown} failed: ${error.message}`,
      { cause: error },
    );
  });
  const [code = ""] = status.split(" ", 1);
  if (code !== "200") {
    throw new Error(`proxy error from ${shown} while dialing ${address}, code ${code}: ${status}`);
  }
  if (rest > 0) {
    throw new Error(`unexpected ${rest} bytes of buffered data from CONNECT proxy "${shown}"`);
  }
}

/** The status of a response without a body, and the number of bytes after it. */
function readHead(socket: Socket): Promise<{ readonly status: string; readonly rest: number }> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const finish = (run: () => void): void => {
      socket.off("data", onData);
      socket.off("error", onError);
      socket.off("close", onClose);
      run();
    };
    const onError = (error: Error): void => finish(() => reject(error));
    const onClose = (): void => finish(() => reject(new Error("unexpected EOF")));
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0 && head.length < maxHeadBytes) return;
      const [, status] = /^HTTP\/1\.[01] (\d{3}[^\r\n]*)\r\n/.exec(head.toString("latin1")) ?? [];
      // It keeps flowing: the next user sends first, in HTTP as in TLS.
      finish(() => {
        if (end < 0 || status === undefined) reject(new Error("malformed HTTP response"));
        else resolve({ status: status.trim(), rest: head.length - end - 4 });
      });
    };
    socket.on("data", onData);
    socket.on("error", onError);
    socket.on("close", onClose);
  });
}
