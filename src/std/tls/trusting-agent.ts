import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { type TlsClientOptions, untrusted, unverified, verifyWhenSecure } from "./connect-tls.ts";

export type TrustingAgentOptions = Omit<AgentOptions, "ca"> & Pick<TlsClientOptions, "trust">;

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * Keeps connections to servers that are trusted by Go's rules; the trust is that of the agent or of
 * the request.
 */
export class TrustingAgent extends Agent {
  constructor(options: TrustingAgentOptions) {
    // A resumed session would skip the verification of the server.
    super({ ...options, maxCachedSessions: 0 });
  }

  override createConnection(
    options: RequestOptions,
    connected?: Connected,
  ): Duplex | null | undefined {
    const tls = options as TlsClientOptions;
    const opened = super.createConnection(unverified(tls) as RequestOptions, (error, socket) => {
      // Only a connection through a proxy gets here, after its handshake.
      const problem = error ?? (socket instanceof TLSSocket ? untrusted(socket, tls) : undefined);
      if (problem && !error) socket.destroy();
      connected?.(problem ?? null, socket);
    });
    const isDirect = opened instanceof TLSSocket && !isToProxy(opened);
    return isDirect ? verifyWhenSecure(opened, tls) : opened;
  }

  override getName(options?: RequestOptions): string {
    const { trust } = (options ?? {}) as TlsClientOptions;
    return `${super.getName(options)}:${trust?.key ?? ""}`;
  }
}

/**
 * Node marks connections to a proxy until there is a tunnel; the proxy's certificate is not the
 * server's.
 */
const isToProxy = (socket: Duplex): boolean =>
  Object.getOwnPropertySymbols(socket).some(
    ({ description }) => description === "kWaitForProxyTunnel",
  );
