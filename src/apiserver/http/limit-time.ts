import { badRequest, timeout } from "#/machinery/meta/status-error.ts";
import { parseDuration } from "#/std/go/duration.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { Exchange, Filter } from "../model/exchange.ts";
import { isLongRunning } from "../model/long-running.ts";

/** Interval of checks for overdue requests, while any is pending: no timer for each request. */
const lookMs = 250;

interface Waiting {
  readonly exchange: Exchange;
  readonly untilMs: number;
  readonly giveUp: (error: Error) => void;
}

/**
 * Answers 504 for a request over its time limit; clients may request a shorter one. Watches and streams have no limit.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/timeout.go,
 * staging/src/k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go.
 */
export function limitTime(clock: Clock, limitMs: number): Filter & Disposable {
  const waiting = new Set<Waiting>();
  let timer: Timer | undefined;
  const look = (): void => {
    const nowMs = clock.monotonicMs();
    for (const request of waiting) {
      if (request.untilMs > nowMs) continue;
      waiting.delete(request);
      request.exchange.isTimedOut = true;
      request.giveUp(timeout("request did not complete within the allotted timeout", 0));
    }
    timer = waiting.size > 0 ? lookLater() : undefined;
  };
  const lookLater = (): Timer => clock.setTimer(lookMs, look, { keepAlive: false });
  const filter: Filter = function limitTimeFilter(exchange, next) {
    if (isLongRunning(exchange.info)) return next(exchange);
    const ownMs = exchange.query.size > 0 ? wantedMs(exchange) : 0;
    const allowedMs = ownMs > 0 ? Math.min(ownMs, limitMs) : limitMs;
    const untilMs = clock.monotonicMs() + allowedMs;
    // Without Promise.race, which would cost several times as much for every request.
    return new Promise((resolve, reject) => {
      const entry: Waiting = { exchange, untilMs, giveUp: reject };
      waiting.add(entry);
      timer ??= lookLater();
      next(exchange).then(
        (reply) => {
          waiting.delete(entry);
          resolve(reply);
        },
        (error: unknown) => {
          waiting.delete(entry);
          reject(error);
        },
      );
    });
  };
  return Object.assign(filter, { [Symbol.dispose]: () => timer?.cancel() });
}

function wantedMs({ query }: Exchange): number {
  const text = query.get("timeout") ?? "";
  if (text === "") return 0;
  try {
    return parseDuration(text);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}
