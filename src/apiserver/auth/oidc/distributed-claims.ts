import { parseJwt } from "#/std/x509/jwt.ts";
import type { Claims } from "./claim-mapper.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/** Limit of issuers of distributed claims (count): an endpoint chooses the issuer, and each is looked up for good. */
const maxIssuers = 20;

interface DistributedClaimsOptions {
  /** The claim that may have to be fetched: the groups. */
  readonly claim: string;
  /** Fetches a text, with an access token if there is one. */
  readonly fetch: (url: string, accessToken: string) => Promise<string>;
  /** Finds the keys of the issuer of a claim. */
  readonly openIssuer: (issuer: string) => IssuerKeys;
  readonly verify: (
    jwt: NonNullable<ReturnType<typeof parseJwt>>,
    keys: IssuerKeys,
  ) => Promise<void>;
}

/**
 * A claim that the token only refers to: another server returns it, signed.
 *
 * Upstream: staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/oidc/oidc.go; OpenID Connect Core 1.0, 5.6.2.
 */
export class DistributedClaims {
  readonly #options: DistributedClaimsOptions;
  readonly #issuers = new Map<string, IssuerKeys>();

  constructor(options: DistributedClaimsOptions) {
    this.#options = options;
  }

  /** The claims, with the fetched one. Throws if it can't be fetched or verified. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options;
    const names = claims["_claim_names"];
    if (claims[claim] !== undefined || names === undefined) return claims;
    const sources = claims["_claim_sources"];
    if (sources === undefined) throw new Error("oidc: no claim sources");
    const source = fieldOf(names, claim);
    if (typeof source !== "string") return claims;
    const endpoint = fieldOf(sources, source);
    if (endpoint === undefined) {
      throw new Error(
        `id token _claim_names contained a source ${source} missing in _claims_sources`,
      );
    }
    const url = fieldOf(endpoint, "endpoint") ?? "";
    // Possibly an aggregated claim.
    if (url === "") return claims;
    const accessToken = String(fieldOf(endpoint, "access_token") ?? "");
    return { ...claims, [claim]: await this.#resolve(String(url), accessToken) };
  }

  async #resolve(url: string, accessToken: string): Promise<unknown> {
    const { claim, fetch, verify } = this.#options;
    const text = await fetch(url, accessToken).catch((error: unknown) => {
      throw new Error(`while getting distributed claim "${claim}": ${messageOf(error)}`);
    });
    const jwt = parseJwt(text);
    const issuer = jwt?.claims["iss"];
    if (!jwt || typeof issuer !== "string") {
      throw new Error(
        `getting untrusted issuer from endpoint ${url} failed for claim "${claim}": malformed token`,
      );
    }
    const keys = this.#issuer(issuer);
    if (!keys.isReady) {
      throw new Error(
        `verifying untrusted issuer ${issuer} failed: verifier not initialized for issuer: "${issuer}"`,
      );
    }
    await verify(jwt, keys).catch((error: unknown) => {
      throw new Error(`verify distributed claim token: ${messageOf(error)}`);
    });
    const value = jwt.claims[claim];
    if (value !== undefined) return value;
    throw new Error(
      `jwt returned by distributed claim endpoint "${url}" did not contain claim: ${claim}`,
    );
  }

  /** Issuers are looked up on their first use; until one is found, its claims are refused. */
  #issuer(issuer: string): IssuerKeys {
    let keys = this.#issuers.get(issuer);
    if (!keys) {
      if (this.#issuers.size >= maxIssuers) {
        throw new Error(`verifying untrusted issuer ${issuer} failed: too many issuers`);
      }
      keys = this.#options.openIssuer(issuer);
      this.#issuers.set(issuer, keys);
    }
    return keys;
  }
}

const messageOf = (error: unknown): string => (error as Error).message;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Claims)[name]
    : undefined;
