import type { Counter } from "#/std/metrics/metric-series.ts";
import type { Labelled, Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Attributes } from "../../../registry/admission.ts";

type Request = Pick<Attributes, "operation" | "resource" | "subresource">;
type RequestLabel = "request_operation" | "resource" | "subresource";

/** A standard that was evaluated. */
export interface Evaluated {
  readonly decision: "allow" | "deny";
  readonly mode: "enforce" | "audit" | "warn";
  readonly level: string;
  readonly version: string;
}

/** Metrics of Pod Security admission. Upstream: staging/src/k8s.io/pod-security-admission/metrics/metrics.go. */
export class PodSecurityMetrics {
  readonly #evaluations: Labelled<
    RequestLabel | "decision" | "mode" | "policy_level" | "policy_version",
    Counter
  >;
  readonly #exemptions: Labelled<RequestLabel, Counter>;
  readonly #errors: Labelled<RequestLabel | "fatal", Counter>;

  constructor(metrics: Metrics) {
    const stability = "ALPHA";
    const request = ["request_operation", "resource", "subresource"] as const;
    this.#evaluations = metrics.counter({
      name: "pod_security_evaluations_total",
      help: "Requests that a standard for pods was looked at for, by the outcome.",
      stability,
      labels: [...request, "decision", "mode", "policy_level", "policy_version"],
    });
    this.#exemptions = metrics.counter({
      name: "pod_security_exemptions_total",
      help: "Requests that no standard for pods is for.",
      stability,
      labels: request,
    });
    this.#errors = metrics.counter({
      name: "pod_security_errors_total",
      help: "Requests whose standard could not be told.",
      stability,
      labels: [...request, "fatal"],
    });
    for (const operation of ["create", "update"]) {
      for (const resource of ["pod", "controller"]) {
        this.#exemptions.with({ request_operation: operation, resource, subresource: "" });
      }
    }
  }

  /** Records an evaluation. */
  evaluated(request: Request, { decision, mode, level, version }: Evaluated): void {
    const labels = { decision, mode, policy_level: level, policy_version: version };
    this.#evaluations.with({ ...labelsOf(request), ...labels }).inc();
  }

  /** Records an exempt request. */
  exempted(request: Request): void {
    this.#exemptions.with(labelsOf(request)).inc();
  }

  /** Records that the standard could not be determined. */
  failed(request: Request, isFatal: boolean): void {
    this.#errors.with({ ...labelsOf(request), fatal: String(isFatal) }).inc();
  }
}

const labelsOf = ({ operation, resource, subresource }: Request) => ({
  request_operation: operation.toLowerCase(),
  resource: resource.name === "pods" ? "pod" : "controller",
  subresource,
});
