import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { type Clock, systemClock } from "../time/clock.ts";
import type { Certificate } from "../x509/certificate.ts";
import { type Trust, verifyServer } from "./trust.ts";

/** Options of a TLS client connection. `ca` is excluded: trust is from trustOf(). */
export interface TlsClientOptions extends Omit<ConnectionOptions, "ca"> {
  /** The trusted CAs; default those of Node. No effect if rejectUnauthorized is false. */
  readonly trust?: Trust | undefined;
  /** Checks the server's certificate instead of its name; with `trust` only. */
  readonly checkCertificate?: (certificate: Certificate) => void;
  readonly clock?: Clock;
}

/** Go accepts keys of 1024 bits; OpenSSL does so at this level or below. */
const ciphers = `${DEFAULT_CIPHERS}:@SECLEVEL=1`;

/** The client certificate and key. */
interface ClientProof {
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/**
 * The context of many connections. If OpenSSL does not verify the server, the system's roots need
 * not be read.
 */
export function clientContext({ cert, key }: ClientProof, withoutRoots: boolean): SecureContext {
  return createSecureContext({
    ...(withoutRoots ? { ca: [], ciphers } : {}),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    minVersion: "TLSv1.2",
  });
}

/**
 * Options that disable OpenSSL's verification if a bundle defines the trust. Only for connections
 * that are passed to verifyWhenSecure().
 */
export function unverified<O extends TlsClientOptions>(options: O): O {
  if (!options.trust || options.rejectUnauthorized === false) return options;
  return { ...options, ca: [], rejectUnauthorized: false, ...lenient(options) };
}

/** A given context has its own ciphers. */
const lenient = ({ secureContext }: TlsClientOptions): { readonly ciphers?: string } =>
  secureContext ? {} : { ciphers };

/**
 * Ends a connection opened with unverified() unless the server is trusted. Runs when the handshake
 * is complete and before data is sent, as Node's own check.
 */
export function verifyWhenSecure(socket: TLSSocket, options: TlsClientOptions): TLSSocket {
  socket.prependOnceListener("secureConnect", () => {
    const problem = untrusted(socket, options);
    if (problem) socket.destroy(problem);
  });
  return socket;
}

/** The error of the server after the handshake; undefined if it is trusted. */
export function untrusted(socket: TLSSocket, options: TlsClientOptions): Error | undefined {
  const { trust, rejectUnauthorized, clock = systemClock } = options;
  if (!trust || rejectUnauthorized === false) return undefined;
  try {
    const name = options.servername || options.host || "";
    const check = options.checkCertificate ?? name;
    verifyServer(socket.getPeerX509Certificate(), trust, check, clock.now());
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/**
 * Opens a connection to a server that must be trusted by Go's rules; fails with an UntrustedServer.
 */
export function connectTls(options: TlsClientOptions): TLSSocket {
  return verifyWhenSecure(connect(unverified(options)), options);
}
