import type { Clock } from "#/std/time/clock.ts";
import { type Jwt, parseJwt } from "#/std/x509/jwt.ts";
import type { TokenAnswer, TokenAuthenticator } from "../../model/token-services.ts";
import type { TokenMetrics } from "../base/token-metrics.ts";
import type { JwtAuthenticator } from "./authentication-configuration.ts";
import { ClaimMapper } from "./claim-mapper.ts";
import { DistributedClaims } from "./distributed-claims.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { type VerifyOptions, verifyToken } from "./verify-token.ts";

interface JwtTokensOptions {
  readonly config: JwtAuthenticator;
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly metrics: TokenMetrics;
}

/**
 * Tokens of an OpenID Connect issuer.
 * Upstream: staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/oidc/oidc.go.
 */
export class JwtTokens implements TokenAuthenticator {
  readonly name = "oidc";
  readonly #options: JwtTokensOptions;
  readonly #keys: IssuerKeys;
  readonly #mapper: ClaimMapper;
  readonly #distributed: DistributedClaims | undefined;

  /** Throws if an expression is invalid. Starts the discovery of the issuer. */
  constructor(options: JwtTokensOptions) {
    const { url, discoveryURL } = options.config.issuer;
    this.#options = options;
    this.#mapper = new ClaimMapper(options.config);
    this.#keys = this.#openIssuer(url, discoveryURL);
    const { claim = "" } = options.config.claimMappings.groups ?? {};
    this.#distributed = claim === "" ? undefined : this.#openDistributed(claim);
  }

  /** Whether discovery has succeeded. */
  get isReady(): boolean {
    return this.#keys.isReady;
  }

  async authenticateToken(token: string): Promise<TokenAnswer | undefined> {
    const jwt = parseJwt(token);
    const { config, metrics } = this.#options;
    if (!jwt || jwt.claims["iss"] !== config.issuer.url) return undefined;
    return metrics.timed(config.issuer.url, () => this.#verify(jwt));
  }

  async #verify(jwt: Jwt): Promise<TokenAnswer> {
    if (!this.isReady) throw new Error("oidc: authenticator not initialized");
    await verifyToken(jwt, this.#keys, this.#verification).catch((error: Error) => {
      throw new Error(`oidc: verify token: ${error.message}`);
    });
    const expanded = this.#distributed?.expand(jwt.claims).catch((error: Error) => {
      throw new Error(`oidc: could not expand distributed claims: ${error.message}`);
    });
    return { user: this.#mapper.user((await expanded) ?? jwt.claims) };
  }

  get #verification(): VerifyOptions {
    const { algorithms, clock, config } = this.#options;
    return { algorithms, clock, audiences: config.issuer.audiences };
  }

  #openIssuer(issuer: string, discoveryUrl = ""): IssuerKeys {
    const { config, clock, signal } = this.#options;
    const { certificateAuthority } = config.issuer;
    const keys = new IssuerKeys({
      issuer,
      ...(discoveryUrl ? { discoveryUrl } : {}),
      ...(certificateAuthority ? { certificateAuthority } : {}),
      clock,
      signal,
    });
    void keys.run();
    return keys;
  }

  #openDistributed(claim: string): DistributedClaims {
    return new DistributedClaims({
      claim,
      fetch: (url, token) =>
        this.#keys.getText(url, token === "" ? {} : { authorization: `Bearer ${token}` }),
      openIssuer: (issuer) => this.#openIssuer(issuer),
      verify: (jwt, keys) => verifyToken(jwt, keys, this.#verification),
    });
  }
}
