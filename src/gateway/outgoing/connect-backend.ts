import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { PeerCertificate } from "node:tls";
import { connectTls } from "#/std/tls/connect-tls.ts";
import { trustOf } from "#/std/tls/trust.ts";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { checkServerName } from "#/std/x509/verify-name.ts";
import type { Endpoint } from "../backends/resolve-backend.ts";
import type { BackendName, BackendTls } from "../table/backend-tls.ts";

/** Where to connect. */
export type BackendAddress = Pick<Endpoint, "address" | "port" | "tls">;

/** Calls back when there is a connection; with TLS, when the backend is known to be the right one. */
export function whenReady(
  socket: Duplex,
  { tls }: Pick<BackendAddress, "tls">,
  run: () => void,
): void {
  // A backend that is not the right one ends the connection in this event.
  socket.once(tls ? "secureConnect" : "connect", () => {
    if (!socket.destroyed) run();
  });
}

/** Connects to an endpoint. With TLS, a backend that is not the right one ends the connection with an error. */
export function connectBackend(
  { address, port, tls }: BackendAddress,
  protocol: "h2" | "http/1.1" | undefined,
): Socket {
  const target = { host: address, port, noDelay: true };
  if (!tls) return connect(target);
  const { serverName, authorities } = tls;
  const { noDelay: _, ...server } = target;
  const socket = connectTls({
    ...server,
    servername: serverName,
    ...(protocol ? { ALPNProtocols: [protocol] } : {}),
    ...(authorities === undefined ? byPublicAuthorities(tls) : byAuthorities(authorities, tls)),
  });
  return socket.setNoDelay(true);
}

const byAuthorities = (authorities: string, tls: BackendTls) => ({
  trust: trustOf(authorities),
  checkCertificate: (certificate: Certificate): void => checkNames(certificate, tls),
});

/** Node.js has the public authorities. */
const byPublicAuthorities = (tls: BackendTls) => ({
  checkServerIdentity: (_host: string, { raw }: PeerCertificate): Error | undefined => {
    try {
      checkNames(readCertificate(raw), tls);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  },
});

/** Throws unless a certificate has one of the names. */
function checkNames(certificate: Certificate, { names }: BackendTls): void {
  if (names.some((name) => hasName(certificate, name))) return;
  const wanted = names.map((name) => (name.kind === "uri" ? name.uri : name.host)).join(", ");
  throw new Error(`x509: certificate has none of the names ${wanted}`);
}

function hasName(certificate: Certificate, name: BackendName): boolean {
  const { dns = [], uris = [] } = certificate.names ?? {};
  if (name.kind === "uri") return uris.includes(name.uri);
  if (name.host.startsWith("*.")) return dns.includes(name.host.toLowerCase());
  try {
    checkServerName(certificate, name.host);
    return true;
  } catch {
    return false;
  }
}
