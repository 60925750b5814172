/** A name that a backend's certificate may have. */
export type BackendName =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "uri"; readonly uri: string };

/** How connections to a backend are encrypted, and what its certificate must be. */
export interface BackendTls {
  /** Equal if all else is equal: connections are shared by it. */
  readonly key: string;
  /** The name that the backend is asked for. */
  readonly serverName: string;
  /** One of these must be in the certificate. */
  readonly names: readonly BackendName[];
  /** The certificates of trusted authorities (PEM); undefined: the public ones. */
  readonly authorities: string | undefined;
}
