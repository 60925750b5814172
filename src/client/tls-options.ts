import { type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import type { TlsIdentity } from "./credentials.ts";

/** What a connection with TLS is opened with. */
export interface TlsOptions extends Pick<ConnectionOptions, "rejectUnauthorized" | "servername"> {
  readonly secureContext: SecureContext;
}

/** The options of an identity, for all its connections: to make a context takes longer than to connect. */
export function tlsOptions({ ca, cert, key, insecure, serverName }: TlsIdentity): TlsOptions {
  return {
    secureContext: createSecureContext({
      // Where nothing is checked, the system's roots need not be read.
      ...(insecure ? { ca: [] } : ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      minVersion: "TLSv1.2",
    }),
    rejectUnauthorized: !insecure,
    ...(serverName ? { servername: serverName } : {}),
  };
}
