import { unauthorized } from "#/machinery/status-error.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Filter } from "./exchange.ts";

/**
 * Finds out who sends the request; nobody we know is answered 401, and not told why. The credential goes no further.
 *
 * Upstream: endpoints/filters/authentication.go.
 */
export function authenticate(authenticators: readonly Authenticator[]): Filter {
  return async function authenticateFilter(exchange, next) {
    for (const authenticator of authenticators) {
      const found = authenticator.authenticate(exchange);
      const user = found instanceof Promise ? await found : found;
      if (!user) continue;
      exchange.user = user;
      forgetCredentials(exchange.headers as Record<string, unknown>);
      return next(exchange);
    }
    throw unauthorized("Unauthorized");
  };
}

/** Nothing behind this filter is to see a token, or who a proxy said that the user is. */
function forgetCredentials(headers: Record<string, unknown>): void {
  for (const name of Object.keys(headers)) {
    if (name === "authorization" || name.startsWith("x-remote-")) delete headers[name];
  }
}
