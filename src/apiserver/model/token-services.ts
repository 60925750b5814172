import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Exchange, UserInfo } from "./exchange.ts";

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

/** Whom a token stands for, and for which of the wanted audiences it is good. */
export interface TokenAnswer {
  readonly user: UserInfo;
  /** Absent where the token says nothing of audiences: then it is good for the API server's own. */
  readonly audiences?: readonly string[];
}

/** Where an authenticator leaves notes about a request. */
export type Notes = Pick<Exchange, "annotations" | "warnings">;

/**
 * One way of finding out whose a bearer token is. Undefined means "not my kind of token"; throws if it is, but isn't
 * good. What it throws must not contain the token.
 */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences: readonly string[],
    notes: Notes,
  ): MaybePromise<TokenAnswer | undefined>;
}
