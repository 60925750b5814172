import { unauthorized } from "#/machinery/meta/status-error.ts";
import { type MaybePromise, whenSettled } from "#/std/base/maybe-promise.ts";
import type { Authenticator } from "../model/authenticator.ts";
import type { Exchange, Filter, UserInfo } from "../model/exchange.ts";
import type { AuthenticationObserver } from "./base/gate-metrics.ts";

/**
 * Authenticates the request; without a known user the response is 401, with no reason. The credential is removed.
 * HTTP/2 costs the server more than the client, so an unknown client gets only one request for each connection.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/authentication.go.
 */
export function authenticate(
  authenticators: readonly Authenticator[],
  closesUnknown = false,
  observe?: AuthenticationObserver,
): Filter {
  const hangUp = (exchange: Exchange): void => {
    if (!closesUnknown || !exchange.http2) return;
    exchange.replyHeaders = { ...exchange.replyHeaders, connection: "close" };
  };
  return async function authenticateFilter(exchange, next) {
    try {
      exchange.user = await identify(exchange, authenticators);
    } catch (error) {
      observe?.(undefined, exchange.receivedMs);
      hangUp(exchange);
      throw error;
    }
    observe?.(exchange.user, exchange.receivedMs);
    if (exchange.user.name === "system:anonymous") hangUp(exchange);
    forgetCredentials(exchange.headers as Record<string, unknown>);
    return next(exchange);
  };
}

/** Calls authenticators in order; waits only for asynchronous ones. */
function identify(
  exchange: Exchange,
  authenticators: readonly Authenticator[],
  from = 0,
): MaybePromise<UserInfo> {
  const asked = authenticators[from];
  if (!asked) throw unauthorized("Unauthorized");
  return whenSettled(asked.authenticate(exchange), (found) => {
    if (!found) return identify(exchange, authenticators, from + 1);
    if (exchange.trail) exchange.trail.authenticator ||= asked.name;
    return found;
  });
}

/** Removes the headers with credentials: later filters must not see a token or a proxy's user headers. */
function forgetCredentials(headers: Record<string, unknown>): void {
  for (const name of Object.keys(headers)) {
    if (name === "authorization" || name.startsWith("x-remote-")) delete headers[name];
  }
}
