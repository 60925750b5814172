import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Operation } from "./admission-plugin.ts";

/** The half of admission in which a plugin or webhook is called. */
export type Step = "admit" | "validate";
/** Upstream's names of these halves for webhooks. */
export type HookType = "admit" | "validating";
/** Records a duration, and whether the request was refused. */
export type Timer = (rejected: boolean, elapsedMs: number) => void;

/** The reason why a webhook's call ended with a refusal. */
type RejectionType = "no_error" | "calling_webhook_error" | "apiserver_internal_error";

/** A webhook that is called for a request. */
export interface AskedHook {
  readonly name: string;
  readonly type: HookType;
  readonly operation: Operation;
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const conditionBuckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
/**
 * Limit of recorded status codes: higher ones count as this one, so that a webhook can't create any number of series.
 */
const maxCode = 600;

type HookLabel = "name" | "type" | "operation";

/**
 * Metrics of admission, its plugins and webhooks.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/metrics/metrics.go.
 */
export class AdmissionMetrics {
  readonly #clock: Clock;
  readonly #step: Labelled<"type" | "operation" | "rejected", Histogram>;
  readonly #plugin: Labelled<HookLabel | "rejected", Histogram>;
  readonly #hook: Labelled<HookLabel | "rejected", Histogram>;
  readonly #requests: Labelled<HookLabel | "code" | "rejected", Counter>;
  readonly #rejections: Labelled<HookLabel | "error_type" | "rejection_code", Counter>;
  readonly #failedOpen: Labelled<"name" | "type", Counter>;
  readonly #conditions: Labelled<HookLabel | "kind", Histogram>;
  readonly #conditionErrors: Labelled<HookLabel | "kind", Counter>;
  readonly #exclusions: Labelled<HookLabel | "kind", Counter>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const named = ["name", "type", "operation"] as const;
    const prefix = "apiserver_admission_";
    this.#step = metrics.histogram({
      name: `${prefix}step_admission_duration_seconds`,
      help: "How long admission took, by operation, step and whether it refused.",
      stability: "STABLE",
      labels: ["type", "operation", "rejected"],
      buckets,
    });
    this.#plugin = metrics.histogram({
      name: `${prefix}controller_admission_duration_seconds`,
      help: "How long a plugin took, by its name, operation, step and whether it refused.",
      stability: "STABLE",
      labels: [...named, "rejected"],
      buckets,
    });
    this.#hook = metrics.histogram({
      name: `${prefix}webhook_admission_duration_seconds`,
      help: "How long a webhook took, by its name, operation, step and whether it refused.",
      stability: "STABLE",
      labels: [...named, "rejected"],
      buckets: [...buckets, 10, 25],
    });
    this.#requests = metrics.counter({
      name: `${prefix}webhook_request_total`,
      help: "Calls of webhooks, by name, operation, step, code of the answer and whether it refused.",
      stability: "ALPHA",
      labels: [...named, "code", "rejected"],
    });
    this.#rejections = metrics.counter({
      name: `${prefix}webhook_rejection_count`,
      help: "Refusals because of webhooks, by name, operation, step and reason.",
      stability: "ALPHA",
      labels: [...named, "error_type", "rejection_code"],
    });
    this.#failedOpen = metrics.counter({
      name: `${prefix}webhook_fail_open_count`,
      help: "Failed calls of webhooks that were ignored, by name and step.",
      stability: "ALPHA",
      labels: ["name", "type"],
    });
    const conditioned = [...named, "kind"] as const;
    this.#conditions = metrics.histogram({
      name: `${prefix}match_condition_evaluation_seconds`,
      help: "How long match conditions took, by what has them, operation and step.",
      stability: "ALPHA",
      labels: conditioned,
      buckets: conditionBuckets,
    });
    this.#conditionErrors = metrics.counter({
      name: `${prefix}match_condition_evaluation_errors_total`,
      help: "Match conditions that couldn't be evaluated, by what has them, operation and step.",
      stability: "ALPHA",
      labels: conditioned,
    });
    this.#exclusions = metrics.counter({
      name: `${prefix}match_condition_exclusions_total`,
      help: "Requests that match conditions kept from what has them, by operation and step.",
      stability: "ALPHA",
      labels: conditioned,
    });
  }

  /** Times one step of admission as a whole. */
  stepTimer(type: Step, operation: Operation): Timer {
    return this.#timer((rejected) => this.#step.with({ type, operation, rejected }));
  }

  /** Times one plugin in a step. */
  pluginTimer(name: string, type: Step, operation: Operation): Timer {
    return this.#timer((rejected) => this.#plugin.with({ name, type, operation, rejected }));
  }

  /** Records a webhook's call. */
  called(hook: AskedHook, code: number, rejected: boolean, startMs: number): void {
    const shown = String(rejected);
    const counted = String(Math.min(code, maxCode));
    this.#requests.with({ ...hook, code: counted, rejected: shown }).inc();
    this.#hook.with({ ...hook, rejected: shown }).observe(this.#since(startMs));
  }

  /** Records a request refused by a webhook. */
  rejected(hook: AskedHook, type: RejectionType, code: number): void {
    const counted = String(Math.min(code, maxCode));
    this.#rejections.with({ ...hook, error_type: type, rejection_code: counted }).inc();
  }

  /** Records a webhook's failed call that was ignored. */
  failedOpen({ name, type }: AskedHook): void {
    this.#failedOpen.with({ name, type }).inc();
  }

  /** Records an evaluation of a webhook's match conditions. */
  conditionsSeen(
    hook: AskedHook,
    outcome: "matches" | "excludes" | "fails",
    startMs: number,
  ): void {
    const labels = { ...hook, kind: "webhook" };
    this.#conditions.with(labels).observe(this.#since(startMs));
    if (outcome === "fails") this.#conditionErrors.with(labels).inc();
    if (outcome !== "excludes") return;
    const type = hook.type === "validating" ? "validate" : hook.type;
    this.#exclusions.with({ ...labels, type }).inc();
  }

  /** Caches the series of admitted requests, which are nearly all. */
  #timer(series: (rejected: string) => Histogram): Timer {
    let admitted: Histogram | undefined;
    return (rejected, elapsedMs) => {
      if (!rejected) admitted ??= series("false");
      const found = rejected ? series("true") : admitted;
      found?.observe(elapsedMs / 1000);
    };
  }

  #since(startMs: number): number {
    return (this.#clock.monotonicMs() - startMs) / 1000;
  }
}
