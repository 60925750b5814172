import { type Filter, header, textReply } from "../model/exchange.ts";

const exemptPaths = ["/readyz", "/livez", "/healthz", "/metrics"];

/**
 * Sends clients elsewhere while the server stops (--shutdown-send-retry-after); who looks at its health, and other API
 * servers, go on being answered.
 *
 * Upstream: apiserver/pkg/server/filters/with_retry_after.go.
 */
export function refuseNew(isStopping: () => boolean): Filter {
  return async function refuseNewFilter(exchange, next) {
    const isExempt =
      (header(exchange, "user-agent") ?? "").startsWith("kube-apiserver/") ||
      exemptPaths.some((path) => exchange.path.startsWith(path));
    if (!isStopping() || isExempt) return next(exchange);
    const reply = textReply(429, "The apiserver is shutting down, please try again later.\n");
    reply.headers["connection"] = "close";
    reply.headers["retry-after"] = "5";
    return reply;
  };
}
