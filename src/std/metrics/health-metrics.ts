import type { HealthCheck } from "./health.ts";
import { Registry } from "./metrics.ts";
import { processStartTime } from "./process-metrics.ts";

/**
 * Results of health checks, for /metrics/slis.
 * Upstream: staging/src/k8s.io/component-base/metrics/prometheus/slis.
 */
export class HealthMetrics {
  readonly #registry = new Registry();
  readonly #last = this.#registry.gauge({
    name: "kubernetes_healthcheck",
    help: "Whether a health check went well when it was last made.",
    stability: "STABLE",
    labels: ["name", "type"],
  });
  readonly #total = this.#registry.counter({
    name: "kubernetes_healthchecks_total",
    help: "How often health checks were made, by how they went.",
    stability: "STABLE",
    labels: ["name", "status", "type"],
  });

  constructor() {
    processStartTime(this.#registry);
  }

  /** The checks of an endpoint (healthz, livez, readyz), wrapped to count their results. */
  counted(endpoint: string, checks: readonly HealthCheck[]): readonly HealthCheck[] {
    return checks.map((one) => ({
      name: one.name,
      check: async () => {
        const about = { name: one.name, type: endpoint };
        let status = "error";
        try {
          await one.check();
          status = "success";
        } finally {
          this.#last.with(about).set(status === "success" ? 1 : 0);
          this.#total.with({ ...about, status }).inc();
        }
      },
    }));
  }

  /** Resets the counters. */
  restart(): void {
    this.#registry.restart();
  }

  expose(): Iterable<string> {
    return this.#registry.expose();
  }
}
