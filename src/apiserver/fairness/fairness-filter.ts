import type { FlowSchema } from "#/api/flowcontrol/v1.ts";
import { internalError } from "#/machinery/meta/status-error.ts";
import {
  type Exchange,
  type Filter,
  type Handler,
  type Reply,
  textReply,
} from "../model/exchange.ts";
import { isLongRunning } from "../model/long-running.ts";
import { estimateSeats } from "./estimate-seats.ts";
import type { Classification, Fairness } from "./fairness.ts";
import type { FairnessMetrics } from "./fairness-metrics.ts";

interface FairnessFilterOptions {
  readonly fairness: Fairness;
  readonly metrics: FairnessMetrics;
  /** The number of objects of a resource. */
  countOf(group: string, resource: string): number;
}

/**
 * Runs each request when it has seats: at once if there are free ones. A watch releases its seats once it has begun.
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go.
 */
export function fairness(options: FairnessFilterOptions): Filter {
  const { fairness: gate, metrics, countOf } = options;
  return function fairnessFilter(exchange, next) {
    const { user, info } = exchange;
    if (!user) return Promise.reject(internalError(new Error("no User found in the context")));
    if (isLongRunning(info) && info.verb !== "watch") return next(exchange);
    const classified = gate.classify(user, info);
    const { level } = classified;
    exchange.replyHeaders = exchange.replyHeaders
      ? { ...exchange.replyHeaders, ...classified.headers }
      : classified.headers;
    const seats = level.isExempt ? 1 : estimateSeats(exchange, level.nominalSeats, countOf);
    const admitted = { classified, seats, metrics };
    if (level.tryStart(seats)) {
      metrics.atOnce(classified);
      return run(exchange, next, admitted);
    }
    return waitAndRun(exchange, next, admitted);
  };
}

/** A request with the number of its seats. */
interface Seated {
  readonly classified: Classification;
  readonly seats: number;
  readonly metrics: FairnessMetrics;
}

async function run(
  exchange: Exchange,
  next: Handler,
  { classified, seats, metrics }: Seated,
): Promise<Reply> {
  const finished = metrics.started(classified, seats, exchange.info.verb === "watch");
  try {
    return await next(exchange);
  } finally {
    classified.level.finish(seats);
    finished();
  }
}

async function waitAndRun(exchange: Exchange, next: Handler, seated: Seated): Promise<Reply> {
  const { classified, seats, metrics } = seated;
  const { schema, level } = classified;
  const who = () => ({
    schema: schema.metadata.name ?? "",
    distinguisher: distinguisher(schema, exchange),
    user: exchange.user?.name ?? "",
    info: exchange.info,
  });
  const pending = level.wait(seats, who, () => exchange.signal);
  const waited = metrics.waiting(classified, seats);
  const reason = await pending;
  const wait = waited(reason);
  const { trail } = exchange;
  if (trail) trail.queue = { level: level.name, schema: schema.metadata.name ?? "", ...wait };
  if (reason === undefined) return run(exchange, next, seated);
  const reply = textReply(429, "Too many requests, please try again later.\n");
  reply.headers["retry-after"] = "1";
  return reply;
}

function distinguisher({ spec }: FlowSchema, { user, info }: Exchange): string {
  if (spec.distinguisherMethod?.type === "ByUser") return user?.name ?? "";
  return spec.distinguisherMethod?.type === "ByNamespace" ? info.namespace : "";
}
