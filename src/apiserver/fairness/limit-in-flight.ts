import { type Filter, textReply } from "../model/exchange.ts";
import { isLongRunning } from "../model/long-running.ts";

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * Limits concurrent requests, reads and writes separately; 0 is no limit. Used if priority and fairness is off.
 * Members of system:masters are exempt.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/maxinflight.go.
 */
export function limitInFlight(limits: { reading: number; writing: number }): Filter {
  const running = { reading: 0, writing: 0 };
  return async function limitInFlightFilter(exchange, next) {
    if (isLongRunning(exchange.info)) return next(exchange);
    const sort = readVerbs.has(exchange.info.verb) ? "reading" : "writing";
    const isFull = limits[sort] > 0 && running[sort] >= limits[sort];
    if (isFull && !exchange.user?.groups.includes("system:masters")) {
      const reply = textReply(429, "Too many requests, please try again later.\n");
      reply.headers["retry-after"] = "1";
      return reply;
    }
    running[sort]++;
    try {
      return await next(exchange);
    } finally {
      running[sort]--;
    }
  };
}
