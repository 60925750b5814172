/** Upstream: pkg/controller/podautoscaler/horizontal.go (normalizeDesiredReplicas…). */
import type { HorizontalPodAutoscaler, HPAScalingRules } from "#/api/autoscaling/v2.ts";

interface Dated {
  readonly timeMs: number;
}

/** Recent recommendations and changes of an autoscaler. */
export interface ScalingHistory {
  recommendations: (Dated & { readonly replicas: number })[];
  ups: (Dated & { readonly change: number })[];
  downs: (Dated & { readonly change: number })[];
}

/** The allowed number of replicas, and the reason. */
interface Normalized {
  readonly replicas: number;
  /** Reason of the condition AbleToScale. */
  readonly able: Reason;
  /** Reason of the condition ScalingLimited. */
  readonly limited: Reason & { readonly status: "True" | "False" };
}

interface Reason {
  readonly reason: string;
  readonly message: string;
}

interface NormalizeInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly history: ScalingHistory;
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly nowMs: number;
  readonly downscaleMs: number;
}

const steady: Reason = {
  reason: "ReadyForNewScale",
  message: "recommended size matches current size",
};
const heldDown: Reason = {
  reason: "ScaleDownStabilized",
  message:
    "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const heldUp: Reason = {
  reason: "ScaleUpStabilized",
  message:
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const inRange: Reason = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooFast: Reason = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown: Reason = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const tooMany: Reason = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew: Reason = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};

/** Stabilizes a recommendation and applies limits; records it in the history. */
export function normalize(input: NormalizeInput): Normalized {
  const { autoscaler, history, desired, nowMs } = input;
  const { behavior } = autoscaler.spec;
  const stable = behavior ? stabilizeBoth(input) : stabilizeDown(input);
  history.recommendations.push({ replicas: desired, timeMs: nowMs });
  const held = behavior && desired >= input.current ? heldUp : heldDown;
  const [replicas, why] = behavior ? limitByRules(input, stable) : limit(input, stable);
  return {
    replicas,
    able: stable === desired ? steady : held,
    limited: { ...why, status: replicas === stable ? "False" : "True" },
  };
}

/** Without behavior: the highest recent recommendation. */
function stabilizeDown({ history, desired, nowMs, downscaleMs }: NormalizeInput): number {
  history.recommendations = history.recommendations.filter(
    ({ timeMs }) => timeMs >= nowMs - downscaleMs,
  );
  return Math.max(desired, ...history.recommendations.map(({ replicas }) => replicas));
}

/**
 * With behavior: the value nearest to the current one between the lowest and the highest recent
 * recommendations.
 */
function stabilizeBoth(input: NormalizeInput): number {
  const { autoscaler, history, current, desired, nowMs, downscaleMs } = input;
  const { scaleUp, scaleDown } = autoscaler.spec.behavior ?? {};
  const upMs = (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = scaleDown?.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? downscaleMs : downSeconds * 1000;
  history.recommendations = history.recommendations.filter(
    ({ timeMs }) => timeMs >= nowMs - Math.max(upMs, downMs),
  );
  const since = (ms: number): number[] =>
    history.recommendations
      .filter(({ timeMs }) => timeMs > nowMs - ms)
      .map(({ replicas }) => replicas);
  const lowest = Math.min(desired, ...since(upMs));
  const highest = Math.max(desired, ...since(downMs));
  return Math.min(Math.max(current, lowest), highest);
}

/** Without behavior: at most twice as many, or four. */
function limit({ autoscaler, current, min }: NormalizeInput, desired: number): [number, Reason] {
  const fastest = Math.max(2 * current, 4);
  const { maxReplicas } = autoscaler.spec;
  const max = Math.min(maxReplicas, fastest);
  if (desired < min) return [min, tooFew];
  if (desired > max) return [max, maxReplicas > fastest ? tooFast : tooMany];
  return [desired, inRange];
}

function limitByRules(input: NormalizeInput, desired: number): [number, Reason] {
  const { autoscaler, current, min } = input;
  const { behavior, maxReplicas } = autoscaler.spec;
  if (desired > current) {
    const fastest = Math.max(current, rateLimit(input, behavior?.scaleUp, 1));
    const max = Math.min(maxReplicas, fastest);
    if (desired > max) return [max, maxReplicas > fastest ? tooFast : tooMany];
  } else if (desired < current) {
    const fastest = Math.min(current, rateLimit(input, behavior?.scaleDown, -1));
    const least = Math.max(min, fastest);
    if (desired < least) return [least, min < fastest ? tooFastDown : tooFew];
  }
  return [desired, inRange];
}

/** The limit that policies set, up or down. */
function rateLimit(
  { history, current, nowMs }: NormalizeInput,
  rules: HPAScalingRules | undefined,
  direction: 1 | -1,
): number {
  const { selectPolicy = "Max", policies = [] } = rules ?? {};
  if (selectPolicy === "Disabled") return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const changed = (events: readonly (Dated & { change: number })[]): number =>
      events
        .filter(({ timeMs }) => timeMs > nowMs - periodSeconds * 1000)
        .reduce((sum, { change }) => sum + change, 0);
    const start = current - changed(history.ups) + changed(history.downs);
    if (type === "Pods") return start + direction * value;
    const share = start * (1 + (direction * value) / 100);
    return direction > 0 ? Math.ceil(share) : Math.trunc(share);
  });
  const isFar = (selectPolicy === "Max") === direction > 0;
  return isFar ? Math.max(...limits) : Math.min(...limits);
}

/** Records a change as long as a policy needs it. */
export function rememberChange(
  { spec }: HorizontalPodAutoscaler,
  history: ScalingHistory,
  change: { readonly from: number; readonly to: number; readonly nowMs: number },
): void {
  if (!spec.behavior) return;
  const { from, to, nowMs } = change;
  const periodMs = (rules: HPAScalingRules | undefined): number =>
    Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds)) * 1000;
  const longestMs = Math.max(periodMs(spec.behavior.scaleUp), periodMs(spec.behavior.scaleDown));
  const recent = ({ timeMs }: Dated): boolean => timeMs >= nowMs - longestMs;
  history.ups = history.ups.filter(recent);
  history.downs = history.downs.filter(recent);
  if (to > from) history.ups.push({ change: to - from, timeMs: nowMs });
  else history.downs.push({ change: from - to, timeMs: nowMs });
}
