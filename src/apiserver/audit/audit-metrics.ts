import type { Counter } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";

/** What the audit tells of itself. Upstream: apiserver/pkg/audit/metrics.go. */
export class AuditMetrics {
  readonly #levels: Labelled<"level", Counter>;
  readonly #errors: Labelled<"plugin", Counter>;
  /** Events handed to log and webhook. */
  readonly events: Counter;
  /** Requests refused because they couldn't be recorded. */
  readonly rejected: Counter;

  constructor(metrics: Metrics) {
    const stability = "ALPHA";
    this.events = metrics.counter({
      name: "apiserver_audit_event_total",
      help: "Events that were recorded.",
      stability,
    });
    this.rejected = metrics.counter({
      name: "apiserver_audit_requests_rejected_total",
      help: "Requests that were refused because they couldn't be recorded.",
      stability,
    });
    this.#levels = metrics.counter({
      name: "apiserver_audit_level_total",
      help: "Requests, by how much of them is recorded.",
      stability,
      labels: ["level"],
    });
    this.#errors = metrics.counter({
      name: "apiserver_audit_error_total",
      help: "Events that couldn't be recorded properly, by what failed.",
      stability,
      labels: ["plugin"],
    });
  }

  /** A request is recorded to this extent. */
  level(level: string): void {
    this.#levels.with({ level }).inc();
  }

  /** Events didn't reach where they should. */
  lost(plugin: "log" | "webhook" | "buffered" | "truncate", events: number): void {
    this.#errors.with({ plugin }).inc(events);
  }
}
