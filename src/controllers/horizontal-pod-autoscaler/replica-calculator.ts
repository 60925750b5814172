/** Upstream: pkg/controller/podautoscaler/replica_calculator.go, …/metrics/utilization.go. */
import type { Pod } from "#/api/core/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { hasPodLevel, podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { parseQuantity } from "#/machinery/values/quantity.ts";
import { isReady } from "../pods/pod-state.ts";
import type { PodMetricsByName } from "./metrics-client.ts";

/** Limits of the deviation of the ratio, down and up, that is ignored. */
export interface Tolerances {
  readonly scaleDown: number;
  readonly scaleUp: number;
}

export interface CalculatorOptions {
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly pods: readonly Pod[];
  readonly nowMs: number;
  readonly cpuInitializationMs: number;
  readonly readinessDelayMs: number;
}

/** Limit of replicas: the largest int32. */
const most = 2 ** 31 - 1;

const isWithin = ({ scaleDown, scaleUp }: Tolerances, ratio: number): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp;

interface Measured {
  /** Ratio of the usage to the target. */
  readonly ratio: number;
  /** In percent of the requests. */
  readonly utilization?: number;
  /** Average per Pod, in thousandths. */
  readonly average: number;
}

export interface Recommendation extends Measured {
  readonly replicas: number;
}

/** The replicas at which Pods use the target percentage of their requests. */
export function byUtilization(
  metrics: PodMetricsByName,
  target: number,
  resource: string,
  container: string,
  options: CalculatorOptions,
): Recommendation {
  const requests = new Map<string, number>();
  const fallback = (pod: string): number =>
    ((requests.get(pod) ?? 0) * Math.max(100, target)) / 100;
  const measure = (all: PodMetricsByName): Measured => utilizationOf(all, requests, target);
  return recommend(metrics, resource, options, {
    prepare: () => {
      for (const pod of options.pods) {
        requests.set(pod.metadata.name ?? "", requestOf(pod, container, resource));
      }
    },
    measure,
    fallback,
  });
}

/** The replicas at which each Pod has the target value (thousandths). */
export function byValue(
  metrics: PodMetricsByName,
  target: number,
  resource: string,
  options: CalculatorOptions,
): Recommendation {
  const measure = (all: PodMetricsByName): Measured => {
    const total = [...all.values()].reduce((sum, { value }) => sum + value, 0);
    const average = Math.trunc(total / all.size);
    return { ratio: average / target, average };
  };
  return recommend(metrics, resource, options, { measure, fallback: () => target });
}

interface Measure {
  prepare?(): void;
  measure(metrics: PodMetricsByName): Measured;
  /** The assumed value of an unmeasured Pod when scaling down. */
  fallback(pod: string): number;
}

/** Pods that aren't ready or weren't measured get values that reduce the change. */
function recommend(
  given: PodMetricsByName,
  resource: string,
  options: CalculatorOptions,
  { prepare, measure, fallback }: Measure,
): Recommendation {
  const { currentReplicas, tolerances, pods } = options;
  if (pods.length === 0) {
    throw new Error("no pods returned by selector while calculating replica count");
  }
  const { ready, unready, missing, ignored } = groupPods(given, resource, options);
  const metrics = new Map(given);
  for (const pod of [...ignored, ...unready]) metrics.delete(pod);
  if (metrics.size === 0) {
    throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  }
  prepare?.();
  const measured = measure(metrics);
  const { ratio } = measured;
  const keep = { ...measured, replicas: currentReplicas };
  const growsUnready = unready.length > 0 && ratio > 1;
  if (!growsUnready && missing.length === 0) {
    return isWithin(tolerances, ratio) ? keep : { ...measured, replicas: Math.ceil(ratio * ready) };
  }
  const blank = { timestampMs: 0, windowMs: 0 };
  if (ratio !== 1) {
    for (const pod of missing) {
      metrics.set(pod, { ...blank, value: ratio < 1 ? fallback(pod) : 0 });
    }
  }
  if (growsUnready) for (const pod of unready) metrics.set(pod, { ...blank, value: 0 });
  const cautious = measure(metrics).ratio;
  const turns = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isWithin(tolerances, cautious) || turns) return keep;
  const replicas = Math.ceil(cautious * metrics.size);
  const contradicts =
    (cautious < 1 && replicas > currentReplicas) || (cautious > 1 && replicas < currentReplicas);
  return contradicts ? keep : { ...measured, replicas };
}

function utilizationOf(
  metrics: PodMetricsByName,
  requests: ReadonlyMap<string, number>,
  target: number,
): Measured {
  let [total, requested, count] = [0, 0, 0];
  for (const [pod, { value }] of metrics) {
    const request = requests.get(pod);
    if (request === undefined) continue;
    total += value;
    requested += request;
    count++;
  }
  if (requested === 0) throw new Error("no metrics returned matched known pods");
  const utilization = Math.trunc((total * 100) / requested);
  return { ratio: utilization / target, utilization, average: Math.trunc(total / count) };
}

function requestOf(pod: Pod, container: string, resource: string): number {
  const { name } = pod.metadata;
  if (container === "" && hasPodLevel(pod, ["requests"])) {
    const request = podRequests(pod).get(resource);
    if (request) return request.milliValue();
    throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
  }
  const sidecars = (pod.spec?.initContainers ?? []).filter((one) => one.restartPolicy === "Always");
  let sum = 0;
  for (const one of [...(pod.spec?.containers ?? []), ...sidecars]) {
    if (container !== "" && container !== one.name) continue;
    const text = one.resources?.requests?.[resource];
    if (text === undefined) {
      throw new Error(`missing request for ${resource} in container ${one.name} of Pod ${name}`);
    }
    sum += parseQuantity(text).milliValue();
    if (container === one.name) return sum;
  }
  if (container !== "") throw new Error(`container ${container} not found in Pod ${name}`);
  return sum;
}

interface PodGroups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

function groupPods(
  metrics: PodMetricsByName,
  resource: string,
  options: CalculatorOptions,
): PodGroups {
  const [unready, missing, ignored]: string[][] = [[], [], []];
  let ready = 0;
  for (const pod of options.pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    const metric = metrics.get(name);
    if (deletionTimestamp || phase === "Failed") ignored?.push(name);
    else if (phase === "Pending") unready?.push(name);
    else if (!metric) missing?.push(name);
    else if (resource === "cpu" && isStarting(pod, metric, options)) unready?.push(name);
    else ready++;
  }
  return { ready, unready: unready ?? [], missing: missing ?? [], ignored: ignored ?? [] };
}

/** Whether a Pod is starting, so that its usage is not meaningful yet. */
function isStarting(
  { status }: Pod,
  { timestampMs, windowMs }: { timestampMs: number; windowMs: number },
  { nowMs, cpuInitializationMs, readinessDelayMs }: CalculatorOptions,
): boolean {
  const condition = findCondition(status?.conditions, "Ready");
  if (!condition || !status?.startTime) return true;
  const startMs = parseTime(status.startTime);
  const changedMs = condition.lastTransitionTime ? parseTime(condition.lastTransitionTime) : 0;
  if (startMs + cpuInitializationMs > nowMs) {
    return condition.status === "False" || timestampMs < changedMs + windowMs;
  }
  return condition.status === "False" && startMs + readinessDelayMs > changedMs;
}

/** The replicas for a value with this ratio to the target. */
export function byRatio(
  ratio: number,
  { currentReplicas, tolerances, pods }: CalculatorOptions,
): number {
  if (currentReplicas === 0) return Math.ceil(ratio);
  if (isWithin(tolerances, ratio)) return currentReplicas;
  if (pods.length === 0) {
    throw new Error(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    );
  }
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return Math.min(most, Math.ceil(ratio * ready));
}

/** The replicas at which each has the target share of a value. */
export function byShare(
  usage: number,
  target: number,
  replicas: number,
  tolerances: Tolerances,
): number {
  const ratio = usage / (target * replicas);
  return isWithin(tolerances, ratio) ? replicas : Math.min(most, Math.ceil(usage / target));
}
