import { type Jwt, parseJwt, verifyJwt } from "#/std/x509/jwt.ts";
import { tokenDigest } from "../base/token-digest.ts";
import type { VerificationKeys } from "./keys.ts";

/** Limit of cached signatures (count); other tokens are verified again. */
const remembered = 10_000;

/**
 * Caches which tokens have a valid signature: that never changes, unlike the objects they refer to. Keeps digests, not
 * tokens.
 */
export class VerifiedTokens {
  readonly #claims = new Map<string, Jwt["claims"]>();
  readonly #keys: VerificationKeys;
  /** The keys that the cached tokens were verified with. */
  #usedKeys: VerificationKeys["keys"];

  constructor(keys: VerificationKeys) {
    this.#keys = keys;
    this.#usedKeys = keys.keys;
  }

  /** Fetches the key of a token if it is not known. */
  async learnKey(token: string, issuers: ReadonlySet<string>): Promise<void> {
    if (!this.#keys.learn) return;
    const jwt = parseJwt(token);
    if (jwt?.header.kid && issuers.has(String(jwt.claims["iss"]))) {
      await this.#keys.learn(jwt.header.kid);
    }
  }

  /**
   * The claims of a token of certain issuers; undefined if it is of another, or none. Throws on an invalid signature.
   */
  claims(token: string, issuers: ReadonlySet<string>): Jwt["claims"] | undefined {
    if (this.#usedKeys !== this.#keys.keys) {
      this.#usedKeys = this.#keys.keys;
      this.#claims.clear();
    }
    const digest = tokenDigest(token);
    const known = this.#claims.get(digest);
    if (known) return issuers.has(String(known["iss"])) ? known : undefined;
    const jwt = parseJwt(token);
    if (!jwt || !issuers.has(String(jwt.claims["iss"]))) return undefined;
    const keys = this.#keys.find(jwt.header.kid);
    if (keys.length === 0) throw new Error("invalid signature, no keys found");
    if (!keys.some(({ key }) => verifyJwt(jwt, key))) {
      throw new Error("go-jose/go-jose: error in cryptographic primitive");
    }
    this.#remember(digest, jwt.claims);
    return jwt.claims;
  }

  #remember(digest: string, claims: Jwt["claims"]): void {
    const oldest = this.#claims.keys().next().value;
    if (this.#claims.size >= remembered && oldest !== undefined) this.#claims.delete(oldest);
    this.#claims.set(digest, claims);
  }
}
