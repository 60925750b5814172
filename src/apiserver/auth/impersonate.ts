import { internalError } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Authorizer } from "../model/authorizer.ts";
import type { Filter } from "../model/exchange.ts";
import { unsniffed } from "./authorize.ts";
import type { ImpersonationObserver } from "./base/authorization-metrics.ts";
import { impersonate as become, wantedUser } from "./impersonation.ts";

/** The kind of user that a constraint is about; the unconstrained one is "legacy". */
const modeOf = (constraint: string): string =>
  constraint === "" ? "legacy" : constraint.slice("impersonate:".length);

/**
 * Applies the Impersonate-* headers if the user may impersonate.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/impersonation.
 */
export function impersonate(
  authorizer: Authorizer,
  clock: Clock,
  observe?: ImpersonationObserver,
): Filter {
  const asked = observe ? counted(authorizer, clock, observe) : authorizer;
  return async function impersonateFilter(exchange, next) {
    const wanted = wantedUser(exchange);
    if (!wanted) return next(exchange);
    const { user, info } = exchange;
    if (!user) throw internalError(new Error("no User found in the context"));
    const startMs = clock.monotonicMs();
    try {
      const { user: other, constraint } = await become(wanted, { ...info, user }, asked);
      observe?.attempted(modeOf(constraint), "allowed", startMs);
      exchange.user = other;
    } catch (error) {
      observe?.attempted("", "denied", startMs);
      throw unsniffed(exchange, error);
    }
    exchange.impersonator = user;
    return next(exchange);
  };
}

/**
 * The same authorizer, with its calls observed. The mode is in the verb, as "impersonate:MODE" or
 * "impersonate-on:MODE:VERB".
 */
function counted(authorizer: Authorizer, clock: Clock, observe: ImpersonationObserver): Authorizer {
  return {
    name: authorizer.name,
    async authorize(attributes) {
      const startMs = clock.monotonicMs();
      const answer = await authorizer.authorize(attributes);
      const [, mode = "legacy"] = attributes.verb.split(":");
      observe.asked(mode, answer.decision === "allow" ? "allowed" : "denied", startMs);
      return answer;
    },
  };
}
