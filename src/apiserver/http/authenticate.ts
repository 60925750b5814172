import { unauthorized } from "#/machinery/status-error.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Filter } from "./exchange.ts";

/** Finds out who sends the request; nobody we know is answered 401. Upstream: endpoints/filters/authentication.go. */
export function authenticate(authenticators: readonly Authenticator[]): Filter {
  return async function authenticateFilter(exchange, next) {
    for (const authenticator of authenticators) {
      const found = authenticator.authenticate(exchange);
      const user = found instanceof Promise ? await found : found;
      if (!user) continue;
      exchange.user = user;
      return next(exchange);
    }
    throw unauthorized("Unauthorized");
  };
}
