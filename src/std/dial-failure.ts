/** What clients are told when a backend can't be reached: the words that Go has for it. */
export function dialFailure(error: unknown, address: string): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const { code = "", message = "" } = cause as { code?: string; message?: string };
  const failure = socketFailures[code];
  if (failure !== undefined) return `dial tcp ${reached(cause, address)}: ${failure}`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostIn(address)}: no such host`;
  if (code === "EAI_AGAIN") return `dial tcp: lookup ${hostIn(address)}: server misbehaving`;
  if (untrusted.has(code)) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `tls: failed to verify certificate: x509: certificate is not valid for ${hostIn(address)}`;
  }
  if (code === "EPROTO" && message.includes("wrong version number")) {
    return "tls: first record does not look like a TLS handshake";
  }
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  return message;
}

const socketFailures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  EINVAL: "connect: invalid argument",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  ETIMEDOUT: "i/o timeout",
};

const untrusted = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
]);

/** The address that was tried, where the system says it, as names have several. */
function reached(cause: unknown, address: string): string {
  const { address: ip, port } = cause as { address?: string; port?: number };
  if (ip === undefined || port === undefined) return address;
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function hostIn(address: string): string {
  return address.slice(0, address.lastIndexOf(":")).replace(/^\[|\]$/g, "");
}
