/** Upstream: pkg/controller/disruption/disruption.go, staging/src/k8s.io/component-helpers/apps/poddisruptionbudget. */
import type { Pod } from "#/api/core/v1.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "#/api/policy/v1.ts";
import { withCondition } from "#/machinery/meta/conditions.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { isReady } from "../pods/pod-state.ts";
import { desiredHealthy } from "./desired-healthy.ts";

/** Limit of the time (ms) in which an evicted Pod is deleted. */
const deletionTimeoutMs = 120_000;

/** Whether a budget depends on the expected number of Pods instead of the existing one. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";

/** Pods being evicted that still exist; the overdue ones, and when the next is overdue. */
interface Disrupted {
  readonly pending: Readonly<Record<string, string>>;
  readonly overdue: readonly Pod[];
  readonly recheckMs: number | undefined;
}

export function findDisrupted(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Disrupted {
  const pending: Record<string, string> = {};
  const overdue: Pod[] = [];
  const waits: number[] = [];
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    const time = status?.disruptedPods?.[name];
    if (time === undefined || deletionTimestamp) continue;
    const leftMs = parseTime(time) + deletionTimeoutMs - nowMs;
    if (leftMs < 0) overdue.push(pod);
    else {
      waits.push(leftMs);
      pending[name] = time;
    }
  }
  return { pending, overdue, recheckMs: waits.length > 0 ? Math.min(...waits) : undefined };
}

/** The status of a budget for these Pods. */
export function computeStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { pending }: Disrupted,
  expected: number,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const healthy = pods.filter((pod) => {
    const { name = "", deletionTimestamp } = pod.metadata;
    return !deletionTimestamp && pending[name] === undefined && isReady(pod);
  }).length;
  const desired = desiredHealthy(budget, expected);
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const { generation } = budget.metadata;
  const conditions = withCondition(
    budget.status?.conditions,
    {
      type: "DisruptionAllowed",
      status: allowed > 0 ? "True" : "False",
      reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
      ...(generation ? { observedGeneration: generation } : {}),
    },
    nowMs,
  );
  return {
    ...(generation ? { observedGeneration: generation } : {}),
    ...(Object.keys(pending).length > 0 ? { disruptedPods: pending } : {}),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: [...conditions],
  };
}
