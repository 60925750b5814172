import { type Jwt, parseJwt, verifyJwt } from "#/std/jwt.ts";
import { tokenDigest } from "../token-digest.ts";
import type { KeySet } from "./keys.ts";

/** Tokens whose signature is remembered; older ones are verified again. */
const remembered = 10_000;

/**
 * Remembers which tokens have a good signature: that never changes, unlike what they refer to. Keeps digests, not
 * tokens.
 */
export class VerifiedTokens {
  readonly #claims = new Map<string, Jwt["claims"]>();
  readonly #keys: KeySet;

  constructor(keys: KeySet) {
    this.#keys = keys;
  }

  /** The claims of a token by one of some issuers; undefined if it is by another, or none. Throws on a bad signature. */
  claims(token: string, issuers: ReadonlySet<string>): Jwt["claims"] | undefined {
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
