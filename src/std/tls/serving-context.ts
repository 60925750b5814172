import { createSecureContext, type SecureContext } from "node:tls";

/** The context of a server with this certificate (chain). Throws if they are malformed or do not belong together. */
export const servingContext = (
  certificate: string | Uint8Array,
  key: string | Uint8Array,
): SecureContext =>
  createSecureContext({
    cert: Buffer.from(certificate),
    key: Buffer.from(key),
    minVersion: "TLSv1.2",
  });
