import type { Socket } from "node:net";
import type { Clock } from "#/std/time/clock.ts";
import { NoClientHelloError, readServerName } from "#/std/tls/client-hello.ts";

/** Limit of the time for the first message of a TLS handshake (ms). */
const helloMs = 10_000;

/** Calls back with the name that a client asks for; what has been read is read again. Ends a connection without TLS. */
export function peekServerName(socket: Socket, clock: Clock, found: (name: string) => void): void {
  let bytes: Buffer | undefined;
  const end = (): void => void socket.destroy();
  const take = (chunk: Buffer): void => {
    bytes = bytes ? Buffer.concat([bytes, chunk]) : chunk;
    const name = nameIn(bytes);
    if (name === undefined) return;
    limit.cancel();
    socket.off("data", take);
    if (name === "not TLS") {
      end();
      return;
    }
    socket.pause();
    socket.unshift(bytes);
    found(name.serverName);
  };
  const limit = clock.setTimer(helloMs, end, { keepAlive: false });
  socket.on("data", take).once("close", () => limit.cancel());
}

function nameIn(bytes: Buffer): { readonly serverName: string } | "not TLS" | undefined {
  try {
    const serverName = readServerName(bytes);
    return serverName === undefined ? undefined : { serverName };
  } catch (error) {
    if (error instanceof NoClientHelloError) return "not TLS";
    throw error;
  }
}
