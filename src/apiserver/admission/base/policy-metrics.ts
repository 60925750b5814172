import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";

/** What became of an expression of a policy. */
export type CheckError = "no_error" | "compile_error" | "out_of_budget" | "invalid_error";

/** A policy and the binding that it acts through. */
export interface BoundPolicy {
  readonly policy: string;
  readonly policy_binding: string;
}

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];
type Checked = "policy" | "policy_binding" | "error_type";

/** The sort of a failure, by its message. Upstream: policy/validating/errors.go. */
export function checkErrorOf(message: string): CheckError {
  if (message.startsWith("compilation")) return "compile_error";
  if (message.includes("running out of cost budget")) return "out_of_budget";
  return "invalid_error";
}

/** What policies written in CEL tell of themselves. Upstream: apiserver/pkg/admission/plugin/policy/{validating,mutating}/metrics. */
export class PolicyMetrics {
  readonly #clock: Clock;
  readonly #validated: Labelled<Checked | "enforcement_action", Counter>;
  readonly #validationTime: Labelled<Checked | "enforcement_action", Histogram>;
  readonly #mutated: Labelled<Checked, Counter>;
  readonly #mutationTime: Labelled<Checked, Histogram>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const labels = ["policy", "policy_binding", "error_type"] as const;
    const validating = {
      stability: "BETA",
      labels: [...labels, "enforcement_action"],
    } as const;
    const mutating = { stability: "ALPHA", labels } as const;
    this.#validated = metrics.counter({
      name: "apiserver_validating_admission_policy_check_total",
      help: "Expressions of validating policies that said no, by what was done about it.",
      ...validating,
    });
    this.#validationTime = metrics.histogram({
      name: "apiserver_validating_admission_policy_check_duration_seconds",
      help: "How long validating policies took to say no, by what was done about it.",
      ...validating,
      buckets,
    });
    this.#mutated = metrics.counter({
      name: "apiserver_mutating_admission_policy_check_total",
      help: "Mutations of policies that were carried out or failed.",
      ...mutating,
    });
    this.#mutationTime = metrics.histogram({
      name: "apiserver_mutating_admission_policy_check_duration_seconds",
      help: "How long mutations of policies took.",
      ...mutating,
      buckets,
    });
  }

  /** A validating policy said no. */
  validated(who: BoundPolicy, error: CheckError, action: string, startMs: number): void {
    const labels = { ...who, error_type: error, enforcement_action: action };
    this.#validated.with(labels).inc();
    this.#validationTime.with(labels).observe(this.#since(startMs));
  }

  /** A mutation was carried out, or failed. */
  mutated(who: BoundPolicy, error: CheckError, startMs: number): void {
    const labels = { ...who, error_type: error };
    this.#mutated.with(labels).inc();
    this.#mutationTime.with(labels).observe(this.#since(startMs));
  }

  #since(startMs: number): number {
    return (this.#clock.monotonicMs() - startMs) / 1000;
  }
}
