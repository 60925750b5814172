import type { Authorizer } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { Registry } from "./registry.ts";
import type { RequestContext } from "./strategy.ts";

/** The user of the API server's own writes. */
const apiServerUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

const mayAll: Authorizer = {
  name: "AlwaysAllow",
  authorize: () => ({ decision: "allow", reason: "" }),
};

/** The context of the API server's own writes. */
export function systemContext(
  registry: Registry,
  enabled: (feature: string) => boolean,
  namespace = "",
): RequestContext {
  return {
    user: apiServerUser,
    namespace,
    subresource: "",
    dryRun: false,
    now: registry.clock.now(),
    authorizer: mayAll,
    warn: () => undefined,
    enabled,
    allowPrivileged: true,
    store: (resource) => registry.store(resource),
  };
}
