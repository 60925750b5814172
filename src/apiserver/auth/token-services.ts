import type { TokenAuthenticator } from "./token-authenticator.ts";

/** What reviews of tokens and requests for tokens need. */
export interface TokenServices {
  readonly authenticator: TokenAuthenticator;
  /** Whom tokens for this server name as their audience; the first is the default. */
  readonly audiences: readonly string[];
  /** Absent when no key to sign with is configured: then tokens can't be requested. */
  readonly issuer?: TokenIssuer;
}

/** Signs tokens of service accounts. */
export interface TokenIssuer {
  /** Makes a token of claims; the issuer adds its own name. */
  sign(claims: object): Promise<string>;
  /** Tokens are cut to this many seconds; 0 for no limit. */
  readonly maxExpirationSeconds: number;
  /** Whether pods' tokens live longer than they ask for, with a warning noted. */
  readonly extendExpiration: boolean;
  /** Even then they live no longer than this; absent for any. */
  readonly maxExtendedSeconds?: number;
}
