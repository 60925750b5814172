import type { Counter } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";

/** Metrics of auditing. Upstream: staging/src/k8s.io/apiserver/pkg/audit/metrics.go. */
export class AuditMetrics {
  readonly #levels: Labelled<"level", Counter>;
  readonly #errors: Labelled<"plugin", Counter>;
  /** Events sent to log and webhook. */
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

  /** Records the audit level of a request. */
  level(level: string): void {
    this.#levels.with({ level }).inc();
  }

  /** Records events that could not be delivered. */
  lost(plugin: "log" | "webhook" | "buffered" | "truncate", events: number): void {
    this.#errors.with({ plugin }).inc(events);
  }
}
