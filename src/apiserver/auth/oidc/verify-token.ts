import type { Clock } from "#/std/time/clock.ts";
import { type Jwt, verifyJwt } from "#/std/x509/jwt.ts";
import { goQuoteList } from "../base/covers.ts";
import { standardClaims } from "../service-account/claims.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/** Limit of a token's notBefore in the future (s): clocks differ. */
const leewayMs = 5 * 60_000;

export interface VerifyOptions {
  readonly algorithms: readonly string[];
  /** A token must have one of these audiences. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

/**
 * Throws unless a token is signed by the issuer, for this audience and valid now.
 * Upstream: github.com/coreos/go-oidc/v3/oidc.
 */
export async function verifyToken(
  jwt: Jwt,
  issuer: IssuerKeys,
  { algorithms, audiences: own, clock }: VerifyOptions,
): Promise<void> {
  if (!algorithms.includes(jwt.header.alg)) {
    throw new Error(
      `oidc: malformed jwt: unexpected signature algorithm ${JSON.stringify(jwt.header.alg)}`,
    );
  }
  const keys = await issuer.find(jwt.header.kid);
  if (!keys.some((key) => verifyJwt(jwt, key))) throw new Error("failed to verify signature");
  const { audiences, expiry, notBefore } = standardClaims(jwt.claims);
  const now = clock.now();
  if (!audiences.some((audience) => own.includes(audience))) {
    throw new Error(`oidc: expected audience in ${goQuoteList(own)} got ${goQuoteList(audiences)}`);
  }
  if (!(expiry !== undefined && now < expiry * 1000)) throw new Error("oidc: token is expired");
  if (notBefore !== undefined && now + leewayMs < notBefore * 1000) {
    throw new Error("oidc: current time is before the nbf (not before) time");
  }
}
