import { unauthorized } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { Authenticator } from "../../model/authenticator.ts";
import type { Exchange, UserInfo } from "../../model/exchange.ts";

const log = logger("authentication");
const authenticated = "system:authenticated";
const unauthenticated = "system:unauthenticated";
const anonymousUser: UserInfo = { name: "system:anonymous", groups: [unauthenticated] };

/** Who is allowed without credentials: no request, every request, or requests for certain paths. */
export interface AnonymousAccess {
  readonly enabled: boolean;
  /** Empty for every path. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Calls authenticators in order; the first that knows the user decides. A request with an invalid credential that no
 * other authenticator accepts is not treated as anonymous.
 *
 * Upstream: pkg/kubeapiserver/authenticator/config.go,
 * staging/src/k8s.io/apiserver/pkg/authentication/request/union/union.go.
 */
export class RequestChain implements Authenticator {
  readonly name = "chain";
  readonly #chain: readonly Authenticator[];
  readonly #anonymous: () => AnonymousAccess;

  constructor(chain: readonly Authenticator[], anonymous: () => AnonymousAccess) {
    this.#chain = chain;
    this.#anonymous = anonymous;
  }

  async authenticate(exchange: Exchange): Promise<UserInfo | undefined> {
    let failure: Error | undefined;
    for (const authenticator of this.#chain) {
      try {
        const user = await authenticator.authenticate(exchange);
        if (!user) continue;
        if (exchange.trail) exchange.trail.authenticator = authenticator.name;
        return withAuthenticated(user);
      } catch (error) {
        failure = error as Error;
      }
    }
    if (failure) {
      log.error(failure, "Unable to authenticate the request");
      throw unauthorized("Unauthorized");
    }
    const { enabled, paths } = this.#anonymous();
    const allowed = enabled && (paths.size === 0 || paths.has(exchange.path));
    return allowed ? anonymousUser : undefined;
  }
}

const grown = memoByIdentity((user: UserInfo) => ({
  ...user,
  groups: [...user.groups, authenticated],
}));

/** Adds the group of all authenticated users. */
function withAuthenticated(user: UserInfo): UserInfo {
  const { groups } = user;
  if (groups.includes(authenticated) || groups.includes(unauthenticated)) return user;
  if (user.name === anonymousUser.name) return user;
  return grown(user);
}
