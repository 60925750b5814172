import { type Filter, header, textReply } from "../model/exchange.ts";

const exemptPaths = ["/readyz", "/livez", "/healthz", "/metrics"];

/**
 * Answers 429 with Retry-After while the server stops (--shutdown-send-retry-after); health checks and other API
 * servers are still served.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/with_retry_after.go.
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
