import { internalError } from "#/machinery/status-error.ts";
import type { Authorizer } from "../auth/authorizer.ts";
import { impersonate as become, wantedUser } from "../auth/impersonation.ts";
import type { Filter } from "./exchange.ts";

/** Lets users act as others whom they may impersonate. Upstream: endpoints/filters/impersonation. */
export function impersonate(authorizer: Authorizer): Filter {
  return async function impersonateFilter(exchange, next) {
    const wanted = wantedUser(exchange);
    if (!wanted) return next(exchange);
    const { user, info } = exchange;
    if (!user) throw internalError(new Error("no User found in the context"));
    const impersonation = await become(wanted, { ...info, user }, authorizer);
    exchange.user = impersonation.user;
    exchange.impersonator = user;
    return next(exchange);
  };
}
