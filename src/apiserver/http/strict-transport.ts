import type { Filter } from "../model/exchange.ts";

/**
 * Adds the Strict-Transport-Security header (--strict-transport-security-directives).
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/hsts.go.
 */
export function strictTransport(directives: readonly string[]): Filter {
  const value = directives.join("; ");
  return async function strictTransportFilter(exchange, next) {
    const reply = await next(exchange);
    reply.headers["strict-transport-security"] ??= value;
    return reply;
  };
}
