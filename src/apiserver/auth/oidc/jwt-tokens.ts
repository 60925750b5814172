import type { Clock } from "#/std/clock.ts";
import { parseJwt, verifyJwt } from "../jwt.ts";
import { goQuoteList } from "../rbac/covers.ts";
import { type StandardClaims, standardClaims } from "../service-account/claims.ts";
import type { TokenAnswer, TokenAuthenticator } from "../token-authenticator.ts";
import type { JwtAuthenticator } from "./authentication-configuration.ts";
import { ClaimMapper } from "./claim-mapper.ts";
import { IssuerKeys } from "./issuer-keys.ts";

/** How far a token's notBefore may lie in the future: clocks differ. */
const leewayMs = 5 * 60_000;

export interface JwtTokensOptions {
  readonly config: JwtAuthenticator;
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Tokens of an OpenID Connect issuer. Upstream: apiserver/plugin/pkg/authenticator/token/oidc/oidc.go. */
export class JwtTokens implements TokenAuthenticator {
  readonly name = "oidc";
  readonly #options: JwtTokensOptions;
  readonly #keys: IssuerKeys;
  readonly #mapper: ClaimMapper;

  /** Throws if an expression is wrong. Starts to look for the issuer. */
  constructor(options: JwtTokensOptions) {
    const { config, clock, signal } = options;
    const { url, discoveryURL, certificateAuthority } = config.issuer;
    this.#options = options;
    this.#mapper = new ClaimMapper(config);
    this.#keys = new IssuerKeys({
      issuer: url,
      ...(discoveryURL ? { discoveryUrl: discoveryURL } : {}),
      ...(certificateAuthority ? { certificateAuthority } : {}),
      clock,
      signal,
    });
    void this.#keys.run();
  }

  /** Whether the issuer has been found. */
  get isReady(): boolean {
    return this.#keys.isReady;
  }

  async authenticateToken(token: string): Promise<TokenAnswer | undefined> {
    const jwt = parseJwt(token);
    if (!jwt || jwt.claims["iss"] !== this.#options.config.issuer.url) return undefined;
    if (!this.isReady) throw new Error("oidc: authenticator not initialized");
    if (!this.#options.algorithms.includes(jwt.header.alg)) {
      throw new Error(
        `oidc: verify token: oidc: malformed jwt: unexpected signature algorithm ${JSON.stringify(jwt.header.alg)}`,
      );
    }
    const keys = await this.#keys.find(jwt.header.kid);
    if (!keys.some((key) => verifyJwt(jwt, key))) {
      throw new Error("oidc: verify token: failed to verify signature");
    }
    this.#check(standardClaims(jwt.claims));
    return { user: this.#mapper.user(jwt.claims) };
  }

  #check({ audiences, expiry, notBefore }: StandardClaims): void {
    const now = this.#options.clock.now();
    const { audiences: own } = this.#options.config.issuer;
    if (!audiences.some((audience) => own.includes(audience))) {
      throw new Error(
        `oidc: verify token: oidc: expected audience in ${goQuoteList(own)} got ${goQuoteList(audiences)}`,
      );
    }
    if (!(expiry !== undefined && now < expiry * 1000)) {
      throw new Error("oidc: verify token: oidc: token is expired");
    }
    if (notBefore !== undefined && now + leewayMs < notBefore * 1000) {
      throw new Error("oidc: verify token: oidc: current time is before the nbf (not before) time");
    }
  }
}
