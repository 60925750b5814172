import type { Event } from "#/api/audit/v1.ts";
import type { Logger } from "#/std/log/log.ts";
import { encodeInTurns } from "../outgoing/encode-in-turns.ts";
import type { AuditMetrics } from "./audit-metrics.ts";
import type { AuditSink } from "./audit-sink.ts";

interface TruncateOptions {
  readonly maxEventBytes: number;
  readonly log: Logger;
  readonly metrics: AuditMetrics;
}

const truncatedAnnotation = "audit.k8s.io/truncated";

/**
 * Removes the objects of events that are too large for the next sink, and drops events that are still too large.
 *
 * Upstream: staging/src/k8s.io/apiserver/plugin/pkg/audit/truncate/truncate.go.
 */
export function truncateEvents(
  sink: AuditSink,
  { maxEventBytes, log, metrics }: TruncateOptions,
): AuditSink {
  return {
    async record(event, bodyBytes) {
      if ((await sizeOf(event)) <= maxEventBytes) return sink.record(event, bodyBytes);
      const shortened = withoutObjects(event);
      if ((await sizeOf(shortened)) <= maxEventBytes) return sink.record(shortened, 0);
      metrics.lost("truncate", 1);
      log.error(new Error("event is too large even after truncating"), "dropped audit event");
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  };
}

/** Size of an event on the wire (bytes). */
export const sizeOf = async (event: Event): Promise<number> => (await encodeInTurns(event)).length;

function withoutObjects({ requestObject: _, responseObject: __, ...event }: Event): Event {
  return { ...event, annotations: { ...event.annotations, [truncatedAnnotation]: "true" } };
}
