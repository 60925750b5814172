import type { Filter } from "../model/exchange.ts";

/**
 * Tells browsers to come back over TLS only (--strict-transport-security-directives).
 *
 * Upstream: apiserver/pkg/server/filters/hsts.go.
 */
export function strictTransport(directives: readonly string[]): Filter {
  const value = directives.join("; ");
  return async function strictTransportFilter(exchange, next) {
    const reply = await next(exchange);
    reply.headers["strict-transport-security"] ??= value;
    return reply;
  };
}
