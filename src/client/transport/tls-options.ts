import type { SecureContext } from "node:tls";
import { clientContext, type TlsClientOptions } from "#/std/tls/connect-tls.ts";
import { trustOf } from "#/std/tls/trust.ts";
import type { TlsIdentity } from "./credentials.ts";

/** The options of a TLS connection. */
interface TlsOptions extends Pick<TlsClientOptions, "rejectUnauthorized" | "servername" | "trust"> {
  readonly secureContext: SecureContext;
}

/**
 * The options of an identity, for all its connections: making a context takes longer than
 * connecting.
 */
export function tlsOptions({ ca, cert, key, insecure, serverName }: TlsIdentity): TlsOptions {
  const trust = ca?.length && !insecure ? trustOf(ca) : undefined;
  return {
    secureContext: clientContext({ cert, key }, insecure || trust !== undefined),
    ...(trust ? { trust } : {}),
    rejectUnauthorized: !insecure,
    ...(serverName ? { servername: serverName } : {}),
  };
}
