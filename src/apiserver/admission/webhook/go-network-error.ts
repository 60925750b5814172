/** Where a connection was to go. */
export interface Destination {
  /** The name that was to be found, or the address itself. */
  readonly host: string;
  readonly port: number;
}

interface SystemError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly cert?: { readonly subjectaltname?: string; readonly valid_to?: string };
}

const dialFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
};

const unknownAuthority = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** What upstream's HTTP client says of a failure: the words of Go's net, crypto/tls and net/http. */
export function goNetworkError(error: Error, { host, port }: Destination): string {
  const { code = "", address = host, port: actualPort = port, cert } = error as SystemError;
  const dial = dialFailures[code];
  if (dial !== undefined) return `dial tcp ${joinHostPort(address, actualPort)}: ${dial}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `dial tcp: lookup ${host}: no such host`;
  }
  if (unknownAuthority.has(code)) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return wrongName(cert?.subjectaltname, host);
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (code === "ECONNRESET") return "EOF";
  return error.message;
}

function wrongName(names: string | undefined, host: string): string {
  const prefix = "tls: failed to verify certificate: x509: certificate is";
  if (!names) return `${prefix} not valid for any names, but wanted to match ${host}`;
  const list = names
    .split(", ")
    .map((name) => name.replace(/^(DNS|IP Address):/, ""))
    .join(", ");
  return `${prefix} valid for ${list}, not ${host}`;
}

/** `host:port`, with brackets around an IPv6 address. */
export const joinHostPort = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
