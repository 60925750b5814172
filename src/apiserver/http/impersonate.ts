import { internalError } from "#/machinery/status-error.ts";
import type { Clock } from "#/std/clock.ts";
import type { Authorizer } from "../auth/authorizer.ts";
import { impersonate as become, wantedUser } from "../auth/impersonation.ts";
import type { ImpersonationObserver } from "../metrics/authorization-metrics.ts";
import type { Filter } from "./exchange.ts";

/** The kind of user that a constraint is about; the unlimited one is "legacy". */
const modeOf = (constraint: string): string =>
  constraint === "" ? "legacy" : constraint.slice("impersonate:".length);

/** Lets users act as others whom they may impersonate. Upstream: endpoints/filters/impersonation. */
export function impersonate(
  authorizer: Authorizer,
  clock: Clock,
  observe?: ImpersonationObserver,
): Filter {
  return async function impersonateFilter(exchange, next) {
    const wanted = wantedUser(exchange);
    if (!wanted) return next(exchange);
    const { user, info } = exchange;
    if (!user) throw internalError(new Error("no User found in the context"));
    const startMs = clock.monotonicMs();
    try {
      const { user: other, constraint } = await become(wanted, { ...info, user }, authorizer);
      observe?.(modeOf(constraint), "allowed", startMs);
      exchange.user = other;
    } catch (error) {
      observe?.("", "denied", startMs);
      throw error;
    }
    exchange.impersonator = user;
    return next(exchange);
  };
}
