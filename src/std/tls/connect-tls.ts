import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { type Clock, systemClock } from "../time/clock.ts";
import { type Trust, verifyServer } from "./trust.ts";

/** How a client opens a connection with TLS. `ca` has no place here: trust comes from trustOf(). */
export interface TlsClientOptions extends Omit<ConnectionOptions, "ca"> {
  /** Whom to trust; default the authorities that Node knows. Without effect where rejectUnauthorized is false. */
  readonly trust?: Trust | undefined;
  readonly clock?: Clock;
}

/** Go accepts keys of 1024 bits; OpenSSL does so from this level down. */
const ciphers = `${DEFAULT_CIPHERS}:@SECLEVEL=1`;

/** What a client shows to servers. */
export interface ClientProof {
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/** The context of many connections. Where OpenSSL does not verify the server, the system's roots need not be read. */
export function clientContext({ cert, key }: ClientProof, withoutRoots: boolean): SecureContext {
  return createSecureContext({
    ...(withoutRoots ? { ca: [], ciphers } : {}),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    minVersion: "TLSv1.2",
  });
}

/**
 * Options that leave it to us to verify the server, where a bundle says whom to trust. They must only be used for a
 * connection that is given to verifyWhenSecure().
 */
export function unverified<O extends TlsClientOptions>(options: O): O {
  if (!options.trust || options.rejectUnauthorized === false) return options;
  return { ...options, ca: [], rejectUnauthorized: false, ...lenient(options) };
}

/** A context of its own has its own ciphers. */
const lenient = ({ secureContext }: TlsClientOptions): { readonly ciphers?: string } =>
  secureContext ? {} : { ciphers };

/**
 * Ends a connection that was opened with unverified() unless the server is to be trusted. That happens as soon as the
 * handshake is over and before anything else is sent, as with Node's own check.
 */
export function verifyWhenSecure(socket: TLSSocket, options: TlsClientOptions): TLSSocket {
  socket.prependOnceListener("secureConnect", () => {
    const problem = untrusted(socket, options);
    if (problem) socket.destroy(problem);
  });
  return socket;
}

/** What is wrong with the server of a connection whose handshake is over; undefined if it is to be trusted. */
export function untrusted(socket: TLSSocket, options: TlsClientOptions): Error | undefined {
  const { trust, rejectUnauthorized, clock = systemClock } = options;
  if (!trust || rejectUnauthorized === false) return undefined;
  try {
    const name = options.servername || options.host || "";
    verifyServer(socket.getPeerX509Certificate(), trust, name, clock.now());
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Opens a connection to a server that must be trusted as Go would; fails with an UntrustedServer. */
export function connectTls(options: TlsClientOptions): TLSSocket {
  return verifyWhenSecure(connect(unverified(options)), options);
}
