import type { PodDisruptionBudget } from "#/api/policy/v1.ts";
import { findCondition, withCondition } from "#/machinery/meta/conditions.ts";
import { forbidden, type StatusError, tooManyRequests } from "#/machinery/meta/status-error.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { Decoded } from "../../../registry/strategy.ts";

/**
 * Disruptions of a Pod that a PodDisruptionBudget allows.
 *
 * Upstream: pkg/registry/core/pod/storage/eviction.go.
 */

type Budget = Decoded<PodDisruptionBudget>;

/** Limit of evictions that the disruption controller has not yet processed. */
const maxDisruptedPods = 2000;

const refused = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Takes one disruption for a Pod from the budget, in place; throws the error of the response if there is none. */
export function takeDisruption(
  budget: Budget,
  { podName, now }: { podName: string; now: number },
): void {
  const { metadata, status } = budget;
  if (status === undefined || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw budgetInProgress(budget);
  }
  checkBudget(budget);
  status.disruptionsAllowed--;
  if (status.disruptionsAllowed === 0) {
    const condition = {
      type: "DisruptionAllowed",
      status: "False",
      reason: "InsufficientPods",
      message: "",
      observedGeneration: status.observedGeneration ?? 0,
      lastTransitionTime: formatTime(now),
    };
    status.conditions = [...withCondition(status.conditions, condition, now)];
  }
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) };
}

function checkBudget(budget: Budget): void {
  const { name = "" } = budget.metadata;
  const { disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
  const resource = { group: "policy", name: "poddisruptionbudget" };
  const notNow = `The disruption budget ${name} does not allow evicting pods currently`;
  if (disruptionsAllowed < 0) {
    const reason = "pdb disruptions allowed is negative";
    throw withCause(forbidden(resource, name, reason), `${notNow}: ${reason}`);
  }
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const reason = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    const message = `${notNow}: too many pending evictions not confirmed by PDB controller`;
    throw withCause(forbidden(resource, name, reason), message);
  }
  if (disruptionsAllowed === 0) {
    throw withCause(tooManyRequests(refused, 0), explain(budget, notNow));
  }
}

function explain({ metadata, status }: Budget, notNow: string): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions } = status ?? {};
  const condition = findCondition(conditions, "DisruptionAllowed");
  const explained = condition?.status === "False" && condition.message ? condition : undefined;
  if (explained?.reason === "SyncFailed")
    return `${notNow} because it failed sync: ${explained.message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return explained ? `${notNow} (${explained.reason}): ${explained.message}` : notNow;
}

/** The error while the disruption controller has not yet processed the budget. */
export function budgetInProgress({ metadata }: Budget): StatusError {
  const message = `The disruption budget ${metadata.name} is still being processed by the server.`;
  return withCause(tooManyRequests(refused, 10), message);
}

function withCause(error: StatusError, message: string): StatusError {
  error.status.details = {
    ...error.status.details,
    causes: [{ reason: "DisruptionBudget", message }],
  };
  return error;
}
