import { whenSettled } from "#/std/base/maybe-promise.ts";
import type { Counter, Histogram } from "#/std/metrics/metric-series.ts";
import {
  defaultBuckets,
  exponentialBuckets,
  type Labelled,
  type Registry as Metrics,
} from "#/std/metrics/metrics.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Authorizer, Decision } from "../../model/authorizer.ts";

const authBuckets = exponentialBuckets(0.001, 2, 15);
const conditionBuckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** Outcome of a call of an authorization webhook. */
type CallResult = "success" | "timeout" | "error";

/**
 * Metrics of the authorizers of the chain, by type and name.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/metrics,
 * staging/src/k8s.io/apiserver/pkg/authorization/cel/metrics.go,
 * staging/src/k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics.
 */
export class AuthorizationMetrics {
  readonly #clock: Clock;
  readonly #decisions: Labelled<"type" | "name" | "decision", Counter>;
  readonly #calls: Labelled<"name" | "result", Counter>;
  readonly #callTime: Labelled<"name" | "result", Histogram>;
  readonly #failedOpen: Labelled<"name" | "result", Counter>;
  readonly #conditions: Labelled<"type" | "name", Histogram>;
  readonly #conditionErrors: Labelled<"type" | "name", Counter>;
  readonly #exclusions: Labelled<"type" | "name", Counter>;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    const stability = "ALPHA";
    const prefix = "apiserver_authorization_";
    this.#decisions = metrics.counter({
      name: `${prefix}decisions_total`,
      help: "Answers that an authorizer of the chain gave for good.",
      stability,
      labels: ["type", "name", "decision"],
    });
    const called = { stability, labels: ["name", "result"] } as const;
    this.#calls = metrics.counter({
      name: `${prefix}webhook_evaluations_total`,
      help: "Calls of authorization webhooks, by how they ended.",
      ...called,
    });
    this.#callTime = metrics.histogram({
      name: `${prefix}webhook_duration_seconds`,
      help: "How long authorization webhooks took, by how that ended.",
      ...called,
      buckets: defaultBuckets,
    });
    this.#failedOpen = metrics.counter({
      name: `${prefix}webhook_evaluations_fail_open_total`,
      help: "Failed calls of authorization webhooks that left the answer to others.",
      ...called,
    });
    const conditioned = { stability, labels: ["type", "name"] } as const;
    this.#conditions = metrics.histogram({
      name: `${prefix}match_condition_evaluation_seconds`,
      help: "How long match conditions of an authorizer took.",
      ...conditioned,
      buckets: conditionBuckets,
    });
    this.#conditionErrors = metrics.counter({
      name: `${prefix}match_condition_evaluation_errors_total`,
      help: "Match conditions of an authorizer that couldn't be evaluated.",
      ...conditioned,
    });
    this.#exclusions = metrics.counter({
      name: `${prefix}match_condition_exclusions_total`,
      help: "Questions that an authorizer's match conditions kept from it.",
      ...conditioned,
    });
  }

  /** The same authorizer, with its decisions counted. */
  counted(authorizer: Authorizer, type: string, name: string): Authorizer {
    let allowed: Counter | undefined;
    const count = (answer: Decision): Decision => {
      if (answer.decision === "allow") {
        allowed ??= this.#decisions.with({ type, name, decision: "allowed" });
        allowed.inc();
      }
      if (answer.decision === "deny") {
        this.#decisions.with({ type, name, decision: "denied" }).inc();
      }
      return answer;
    };
    const { rulesFor } = authorizer;
    return {
      name,
      ...(rulesFor ? { rulesFor: rulesFor.bind(authorizer) } : {}),
      authorize(attributes) {
        return whenSettled(authorizer.authorize(attributes), count);
      },
    };
  }

  /** Records a call of a webhook. */
  called(name: string, result: CallResult, startMs: number): void {
    this.#calls.with({ name, result }).inc();
    this.#callTime.with({ name, result }).observe(this.#since(startMs));
  }

  /** Records that a webhook failed and the next authorizer decides. */
  failedOpen(name: string, result: CallResult): void {
    this.#failedOpen.with({ name, result }).inc();
  }

  /** Records an evaluation of a webhook's match conditions. */
  conditionsSeen(name: string, outcome: "matches" | "excludes" | "fails", startMs: number): void {
    const labels = { type: "Webhook", name };
    this.#conditions.with(labels).observe(this.#since(startMs));
    if (outcome === "fails") this.#conditionErrors.with(labels).inc();
    if (outcome === "excludes") this.#exclusions.with(labels).inc();
  }

  #since(startMs: number): number {
    return (this.#clock.monotonicMs() - startMs) / 1000;
  }
}

/** Observes attempts of impersonation, and the authorization requests they cause. */
export interface ImpersonationObserver {
  /** The mode that allowed it; "" if it was refused. */
  attempted(mode: string, decision: "allowed" | "denied", startMs: number): void;
  asked(mode: string, decision: "allowed" | "denied", startMs: number): void;
}

/**
 * Counts and times attempts of impersonation.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/impersonation/metrics/metrics.go.
 */
export function impersonationMetrics(metrics: Metrics, clock: Clock): ImpersonationObserver {
  const described = { stability: "ALPHA", labels: ["mode", "decision"] } as const;
  const attempts = metrics.counter({
    name: "apiserver_impersonation_attempts_total",
    help: "Attempts to act as somebody else, by mode and answer.",
    ...described,
  });
  const duration = metrics.histogram({
    name: "apiserver_impersonation_attempts_duration_seconds",
    help: "How long it took to find out whether somebody may act as somebody else.",
    ...described,
    buckets: authBuckets,
  });
  const questions = metrics.counter({
    name: "apiserver_impersonation_authorization_attempts_total",
    help: "Questions whether somebody may act as somebody else, by mode and answer.",
    ...described,
  });
  const questionTime = metrics.histogram({
    name: "apiserver_impersonation_authorization_attempts_duration_seconds",
    help: "How long questions whether somebody may act as somebody else took.",
    ...described,
    buckets: authBuckets,
  });
  const since = (startMs: number): number => (clock.monotonicMs() - startMs) / 1000;
  return {
    attempted(mode, decision, startMs) {
      attempts.with({ mode, decision }).inc();
      duration.with({ mode, decision }).observe(since(startMs));
    },
    asked(mode, decision, startMs) {
      questions.with({ mode, decision }).inc();
      questionTime.with({ mode, decision }).observe(since(startMs));
    },
  };
}
