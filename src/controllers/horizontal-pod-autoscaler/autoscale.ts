/** Upstream: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler). */
import type { Scale } from "#/api/autoscaling/v1.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from "#/api/autoscaling/v2.ts";
import type { Pod } from "#/api/core/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { hasCondition, withCondition, withoutCondition } from "#/machinery/meta/conditions.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { MetricError, type Proposal, proposeReplicas } from "./metric-proposal.ts";
import type { MetricsClient } from "./metrics-client.ts";
import type { Tolerances } from "./replica-calculator.ts";
import type { ScaleTargets } from "./scale-target.ts";
import { normalize, rememberChange, type ScalingHistory } from "./stabilize.ts";

/** The input of one run of an autoscaler. */
interface AutoscaleInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly context: ControllerContext<ManagerOptions>;
  readonly metrics: MetricsClient;
  readonly targets: ScaleTargets;
  readonly history: ScalingHistory;
  /** The target's Pods; throws if another autoscaler targets some of them, too. */
  readonly podsOf: (selector: Selector) => readonly Pod[];
}

/** One run of an autoscaler: the result is a status, which is written in any case. */
export class Autoscale {
  readonly #input: AutoscaleInput;
  status: HorizontalPodAutoscalerStatus;

  constructor(input: AutoscaleInput) {
    this.#input = input;
    this.status = { desiredReplicas: 0, ...input.autoscaler.status };
  }

  /** Scales the target if needed. Throws errors to report, after they are in the status. */
  async run(): Promise<void> {
    const { autoscaler, context, targets, history } = this.#input;
    const { kind, name } = autoscaler.spec.scaleTargetRef;
    const reference = `${kind}/${autoscaler.metadata.namespace}/${name}`;
    const scale = await targets.get(autoscaler).catch((error: Error) => {
      this.#event("Warning", "FailedGetScale", error.message);
      const message = `the HPA controller was unable to get the target's current scale: ${error.message}`;
      this.#set("AbleToScale", "False", "FailedGetScale", message);
      throw new Error(`failed to query scale subresource for ${reference}: ${error.message}`);
    });
    const able = "the HPA controller was able to get the target's current scale";
    this.#set("AbleToScale", "True", "SucceededGetScale", able);
    const current = scale.spec?.replicas ?? 0;
    if (history.recommendations.length === 0) {
      history.recommendations.push({ replicas: current, timeMs: context.clock.now() });
    }
    await this.#decide(scale, current, reference);
  }

  async #decide(scale: Scale, current: number, reference: string): Promise<void> {
    const { spec } = this.#input.autoscaler;
    const { maxReplicas, minReplicas: min = 1 } = spec;
    if (current === 0 && !this.#mayLeaveZero()) {
      const message = "scaling is disabled since the replica count of the target is zero";
      this.#set("ScalingActive", "False", "ScalingDisabled", message);
      this.#finish(current, current, []);
    } else if (current > maxReplicas) {
      const reason = "Current number of replicas above Spec.MaxReplicas";
      await this.#rescale(scale, {
        current,
        desired: maxReplicas,
        reason,
        statuses: [],
        reference,
      });
    } else if (current < min && current > 0) {
      const reason = "Current number of replicas below Spec.MinReplicas";
      await this.#rescale(scale, { current, desired: min, reason, statuses: [], reference });
    } else await this.#followMetrics(scale, current, reference);
  }

  /** Whether the target was scaled to zero by this autoscaler; otherwise zero disables it. */
  #mayLeaveZero(): boolean {
    const { minReplicas: min = 1 } = this.#input.autoscaler.spec;
    const wasScaled = hasCondition(this.status.conditions, "ScaledToZero");
    return this.#knowsZero() && wasScaled && (min !== 0 || this.#hasOutsideMetrics());
  }

  #knowsZero(): boolean {
    return this.#input.context.options.enabled("HPAScaleToZero");
  }

  /** Whether there are metrics independent of Pods. */
  #hasOutsideMetrics(): boolean {
    const { metrics = [] } = this.#input.autoscaler.spec;
    return metrics.some(({ type }) => type === "Object" || type === "External");
  }

  #recordZero(current: number, desired: number): void {
    const { minReplicas: min = 1 } = this.#input.autoscaler.spec;
    if (!this.#knowsZero()) {
      const conditions = [...withoutCondition(this.status.conditions, "ScaledToZero")];
      this.status = { ...this.status, conditions };
    } else if (current > 0 && desired === 0 && min === 0 && this.#hasOutsideMetrics()) {
      const message = "the HPA controller scaled the workload to zero";
      this.#set("ScaledToZero", "True", "ScaledToZero", message);
    } else {
      const message = "the HPA controller did not scale the workload to zero";
      this.#set("ScaledToZero", "False", "NotScaledToZero", message);
    }
  }

  async #followMetrics(scale: Scale, current: number, reference: string): Promise<void> {
    const { autoscaler, context, history } = this.#input;
    const { minReplicas: min = 1, metrics: specs = [] } = autoscaler.spec;
    const { proposals, statuses, failure } = await this.#propose(scale, current);
    const largest = proposals.reduce<Proposal | undefined>(
      (best, one) => (best && best.replicas >= one.replicas ? best : one),
      undefined,
    );
    const invalid = specs.length - proposals.length;
    if (!largest || (invalid > 0 && largest.replicas < current)) {
      const text = failure?.message ?? "";
      if (failure instanceof MetricError) {
        const message = `the HPA was unable to compute the replica count: ${failure.detail}`;
        this.#set("ScalingActive", "False", failure.reason, message);
      }
      this.#finish(current, this.status.desiredReplicas, statuses);
      const problem =
        failure instanceof MetricError
          ? `invalid metrics (${invalid} invalid out of ${specs.length}), first error is: ${text}`
          : text;
      this.#event("Warning", "FailedComputeMetricsReplicas", problem);
      throw new Error(
        `failed to compute desired number of replicas based on listed metrics for ${reference}: ${problem}`,
      );
    }
    const found = `the HPA was able to successfully calculate a replica count from ${largest.name}`;
    this.#set("ScalingActive", "True", "ValidMetricFound", found);
    const desired = largest.replicas;
    const reason = reasonOf(largest, current, min);
    const downscaleMs = context.options.flags["horizontal-pod-autoscaler-downscale-stabilization"];
    const nowMs = context.clock.now();
    const normal = normalize({ autoscaler, history, current, desired, min, nowMs, downscaleMs });
    this.#set("AbleToScale", "True", normal.able.reason, normal.able.message);
    const { limited } = normal;
    this.#set("ScalingLimited", limited.status, limited.reason, limited.message);
    const replicas = current === 0 ? Math.max(normal.replicas, min) : normal.replicas;
    if (replicas === current) this.#finish(current, current, statuses);
    else await this.#rescale(scale, { current, desired: replicas, reason, statuses, reference });
    if (failure) throw failure;
  }

  async #propose(scale: Scale, currentReplicas: number) {
    const { autoscaler, context, metrics } = this.#input;
    const { flags } = context.options;
    const proposals: Proposal[] = [];
    const statuses: MetricStatus[] = [];
    let failure: Error | undefined;
    const { selector, pods } = this.#select(scale);
    for (const spec of autoscaler.spec.metrics ?? []) {
      try {
        const proposal = await proposeReplicas(spec, {
          currentReplicas,
          statusReplicas: scale.status?.replicas ?? 0,
          tolerances: this.#tolerances(),
          namespace: autoscaler.metadata.namespace ?? "",
          selector,
          pods,
          metrics,
          nowMs: context.clock.now(),
          cpuInitializationMs: flags["horizontal-pod-autoscaler-cpu-initialization-period"],
          readinessDelayMs: flags["horizontal-pod-autoscaler-initial-readiness-delay"],
        });
        proposals.push(proposal);
        statuses.push(proposal.status);
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        this.#event("Warning", error.reason, error.detail);
        failure ??= error;
      }
    }
    return { proposals, statuses, failure };
  }

  #select(scale: Scale): { selector: string; pods: readonly Pod[] } {
    const text = scale.status?.selector ?? "";
    if (text === "") {
      this.#event("Warning", "SelectorRequired", "selector is required");
      const message = "the HPA target's scale is missing a selector";
      this.#set("ScalingActive", "False", "InvalidSelector", message);
      throw new Error("selector is required");
    }
    let reason = "InvalidSelector";
    try {
      const selector = parseSelector(text);
      reason = "AmbiguousSelector";
      return { selector: text, pods: this.#input.podsOf(selector) };
    } catch (error) {
      const detail = (error as Error).message;
      const message =
        reason === "InvalidSelector"
          ? `couldn't convert selector into a corresponding internal selector object: ${detail}`
          : detail;
      this.#event("Warning", reason, message);
      this.#set("ScalingActive", "False", reason, message);
      throw new Error(message, { cause: error });
    }
  }

  #tolerances(): Tolerances {
    const { autoscaler, context } = this.#input;
    const usual = context.options.flags["horizontal-pod-autoscaler-tolerance"];
    const { behavior } = autoscaler.spec;
    if (!context.options.enabled("HPAConfigurableTolerance")) {
      return { scaleDown: usual, scaleUp: usual };
    }
    const read = (text: string | undefined): number =>
      text === undefined ? usual : parseQuantity(text).toNumber();
    return {
      scaleDown: read(behavior?.scaleDown?.tolerance),
      scaleUp: read(behavior?.scaleUp?.tolerance),
    };
  }

  async #rescale(
    scale: Scale,
    change: {
      readonly current: number;
      readonly desired: number;
      readonly reason: string;
      readonly statuses: readonly MetricStatus[];
      readonly reference: string;
    },
  ): Promise<void> {
    const { autoscaler, targets, history, context } = this.#input;
    const { current, desired, reason, statuses, reference } = change;
    try {
      await targets.set(autoscaler, scale, desired);
    } catch (error) {
      const { message } = error as Error;
      const text = `New size: ${desired}; reason: ${reason}; error: ${message}`;
      this.#event("Warning", "FailedRescale", text);
      const problem = `the HPA controller was unable to update the target scale: ${message}`;
      this.#set("AbleToScale", "False", "FailedUpdateScale", problem);
      this.#finish(current, this.status.desiredReplicas, statuses);
      throw new Error(`failed to rescale ${reference}: ${message}`);
    }
    const text = `the HPA controller was able to update the target scale to ${desired}`;
    this.#set("AbleToScale", "True", "SucceededRescale", text);
    this.#event("Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`);
    const nowMs = context.clock.now();
    rememberChange(autoscaler, history, { from: current, to: desired, nowMs });
    this.#recordZero(current, desired);
    this.#finish(current, desired, statuses);
    this.status = { ...this.status, lastScaleTime: formatTime(nowMs) };
  }

  #finish(current: number, desired: number, statuses: readonly MetricStatus[]): void {
    const { generation } = this.#input.autoscaler.metadata;
    const { lastScaleTime, conditions } = this.status;
    this.status = {
      ...(generation ? { observedGeneration: generation } : {}),
      ...(lastScaleTime ? { lastScaleTime } : {}),
      ...(current === 0 ? {} : { currentReplicas: current }),
      desiredReplicas: desired,
      currentMetrics: [...statuses],
      ...(conditions ? { conditions } : {}),
    };
    if (statuses.length === 0) delete this.status.currentMetrics;
  }

  #set(type: string, status: "True" | "False", reason: string, message: string): void {
    const nowMs = this.#input.context.clock.now();
    const condition = { type, status, reason, message };
    const conditions = [...withCondition(this.status.conditions, condition, nowMs)];
    this.status = { ...this.status, conditions };
  }

  #event(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#input.context.recorder.event(this.#input.autoscaler, type, reason, message);
  }
}

function reasonOf({ replicas, name }: Proposal, current: number, min: number): string {
  if (replicas > current) return `${name} above target`;
  if (replicas < current) return "All metrics below target";
  return current < min ? "Current number of replicas below Spec.MinReplicas" : "";
}
