import type { Notes, TokenAnswer, TokenAuthenticator } from "../../model/token-services.ts";

/**
 * Calls authenticators in order. A token that one refuses may be valid for another; the errors count only if none
 * accepts it.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authentication/token/union/union.go.
 */
export class UnionTokenAuthenticator implements TokenAuthenticator {
  readonly name = "union";
  readonly #chain: readonly TokenAuthenticator[];
  readonly #ownAudiences: readonly string[];

  constructor(chain: readonly TokenAuthenticator[], ownAudiences: readonly string[]) {
    this.#chain = chain;
    this.#ownAudiences = ownAudiences;
  }

  async authenticateToken(
    token: string,
    audiences: readonly string[],
    notes: Notes,
  ): Promise<TokenAnswer | undefined> {
    const failures: string[] = [];
    for (const authenticator of this.#chain) {
      try {
        const found = await authenticator.authenticateToken(token, audiences, notes);
        const answer = found && this.#withAudiences(found, audiences);
        if (answer) return answer;
      } catch (error) {
        failures.push((error as Error).message);
      }
    }
    if (failures.length > 0) throw new TokenError(failures);
    return undefined;
  }

  /** A token without audiences is for this server only: no other audience matches it. */
  #withAudiences(
    { user, audiences }: TokenAnswer,
    wanted: readonly string[],
  ): TokenAnswer | undefined {
    if (audiences) return { user, audiences };
    const common = this.#ownAudiences.filter((own) => wanted.includes(own));
    const matches = common.length > 0 || this.#ownAudiences.length === 0 || wanted.length === 0;
    return matches ? { user, audiences: common } : undefined;
  }
}

/** The errors of authenticators that refused a token. */
class TokenError extends Error {
  override readonly name = "TokenError";

  constructor(failures: readonly string[]) {
    const list = [...new Set(failures)];
    super(list.length > 1 ? `[${list.join(", ")}]` : list[0]);
  }
}
