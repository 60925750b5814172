/** Upstream: Go's crypto/tls, alert.go, conn.go. */

/** Go's message for a TLS failure of OpenSSL; undefined if it is another failure. */
export function tlsFailure(error: unknown, host: string): string | undefined {
  const { code, message = "" } = error as { code?: unknown; message?: string };
  if (typeof code !== "string") return undefined;
  const untrusted = "tls: failed to verify certificate: x509: certificate";
  if (unknownAuthority.has(code)) return `${untrusted} signed by unknown authority`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `${untrusted} has expired or is not yet valid`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${untrusted} is not valid for ${host}`;
  if (code !== "EPROTO" && !code.startsWith("ERR_SSL_")) return undefined;
  const alert = /SSL alert number (\d+)/.exec(message)?.[1];
  if (alert !== undefined)
    return `remote error: tls: ${alerts[Number(alert)] ?? `alert(${alert})`}`;
  if (/wrong version number|packet length too long|unexpected message/.test(message)) {
    return "tls: first record does not look like a TLS handshake";
  }
  return /unsupported protocol/.test(message)
    ? "tls: server selected unsupported protocol version"
    : undefined;
}

/** OpenSSL's codes for a certificate of an unknown CA. */
const unknownAuthority = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_ISSUER_CERT",
]);

/** Go's names of TLS alerts by number. */
const alerts: Readonly<Record<number, string>> = {
  0: "close notify",
  10: "unexpected message",
  20: "bad record MAC",
  21: "decryption failed",
  22: "record overflow",
  30: "decompression failure",
  40: "handshake failure",
  42: "bad certificate",
  43: "unsupported certificate",
  44: "revoked certificate",
  45: "expired certificate",
  46: "unknown certificate",
  47: "illegal parameter",
  48: "unknown certificate authority",
  49: "access denied",
  50: "error decoding message",
  51: "error decrypting message",
  60: "export restriction",
  70: "protocol version not supported",
  71: "insufficient security level",
  80: "internal error",
  86: "inappropriate fallback",
  90: "user canceled",
  100: "no renegotiation",
  109: "missing extension",
  110: "unsupported extension",
  111: "certificate unobtainable",
  112: "unrecognized name",
  113: "bad certificate status response",
  114: "bad certificate hash value",
  115: "unknown PSK identity",
  116: "certificate required",
  120: "no application protocol",
  121: "encrypted client hello required",
};
