import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";

/** The outcome of an expression of a policy. */
type CheckError = "no_error" | "compile_error" | "out_of_budget" | "invalid_error";

/** A policy and its binding. */
interface BoundPolicy {
  readonly policy: string;
  readonly policy_binding: string;
}

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1];
type Checked = "policy" | "policy_binding" | "error_type";

/**
 * The kind of a failure, by its message.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/errors.go.
 */
export function checkErrorOf(message: string): CheckError {
  if (message.startsWith("compilation")) return "compile_error";
  if (message.includes("running out of cost budget")) return "out_of_budget";
  return "invalid_error";
}

const labels = ["policy", "policy_binding", "error_type"] as const;

/**
 * Metrics of ValidatingAdmissionPolicies.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/metrics.
 */
export class ValidatingPolicyMetrics {
  readonly #clock: Clock;
  readonly #checks: Labelled<Checked | "enforcement_action", Counter>;
  readonly #times: Labelled<Checked | "enforcement_action", Histogram>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const common = { stability: "BETA", labels: [...labels, "enforcement_action"] } as const;
    this.#checks = metrics.counter({
      name: "apiserver_validating_admission_policy_check_total",
      help: "Expressions of validating policies that said no, by what was done about it.",
      ...common,
    });
    this.#times = metrics.histogram({
      name: "apiserver_validating_admission_policy_check_duration_seconds",
      help: "How long validating policies took to say no, by what was done about it.",
      ...common,
      buckets,
    });
  }

  /** Records a denial of a validating policy. */
  validated(who: BoundPolicy, error: CheckError, action: string, startMs: number): void {
    const series = { ...who, error_type: error, enforcement_action: action };
    this.#checks.with(series).inc();
    this.#times.with(series).observe((this.#clock.monotonicMs() - startMs) / 1000);
  }
}

/**
 * Metrics of MutatingAdmissionPolicies.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/metrics.
 */
export class MutatingPolicyMetrics {
  readonly #clock: Clock;
  readonly #checks: Labelled<Checked, Counter>;
  readonly #times: Labelled<Checked, Histogram>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const common = { stability: "ALPHA", labels } as const;
    this.#checks = metrics.counter({
      name: "apiserver_mutating_admission_policy_check_total",
      help: "Mutations of policies that were carried out or failed.",
      ...common,
    });
    this.#times = metrics.histogram({
      name: "apiserver_mutating_admission_policy_check_duration_seconds",
      help: "How long mutations of policies took.",
      ...common,
      buckets,
    });
  }

  /** Records a mutation, or its failure. */
  mutated(who: BoundPolicy, error: CheckError, startMs: number): void {
    const series = { ...who, error_type: error };
    this.#checks.with(series).inc();
    this.#times.with(series).observe((this.#clock.monotonicMs() - startMs) / 1000);
  }
}
