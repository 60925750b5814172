import type { Authorizer } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";
import type { Registry } from "./registry.ts";
import type { RequestContext } from "./strategy.ts";

/** The API server itself, when it writes on its own account. */
const apiServerUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

const mayAll: Authorizer = {
  name: "AlwaysAllow",
  authorize: () => ({ decision: "allow", reason: "" }),
};

/** What hooks may know of a write that the server makes by itself. */
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
