import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Exchange, UserInfo } from "./exchange.ts";

/** Dependencies of TokenReviews and TokenRequests. */
export interface TokenServices {
  readonly authenticator: TokenAuthenticator;
  /** The audiences of tokens for this server; the first is the default. */
  readonly audiences: readonly string[];
  /** Absent if no signing key is configured: then tokens can't be requested. */
  readonly issuer?: TokenIssuer;
}

/** Signs tokens of service accounts. */
export interface TokenIssuer {
  /** Signs claims as a token; the issuer adds its own name. */
  sign(claims: object): Promise<string>;
  /** Limit of the lifetime of tokens (s); 0 for none. */
  readonly maxExpirationSeconds: number;
  /** Whether pods' tokens live longer than requested, with a time from which their use is a warning. */
  readonly extendExpiration: boolean;
  /** Limit of the lifetime of such tokens (s); absent for none. */
  readonly maxExtendedSeconds?: number;
}

/** The user of a token, and the requested audiences that it is valid for. */
export interface TokenAnswer {
  readonly user: UserInfo;
  /** Absent if the token has no audiences: then it is valid for the API server's own. */
  readonly audiences?: readonly string[];
}

/** Receives an authenticator's audit annotations of a request. */
export type Notes = Pick<Exchange, "annotations" | "warnings">;

/**
 * One method of authenticating a bearer token. Undefined means that the token is of another kind; throws if it is
 * invalid. The error must not contain the token.
 */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(
    token: string,
    audiences: readonly string[],
    notes: Notes,
  ): MaybePromise<TokenAnswer | undefined>;
}
