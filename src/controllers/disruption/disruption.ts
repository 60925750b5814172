/** Upstream: pkg/controller/disruption/disruption.go. */
import { deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { type Pod, pods, replicationControllers } from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { keyOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { findCondition, withCondition } from "#/machinery/meta/conditions.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { isConflict } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { parseTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { selectedObjects } from "../base/selected-objects.ts";
import { selectingObjects } from "../base/selecting-objects.ts";
import { isFinished } from "../pods/pod-state.ts";
import { computeStatus, findDisrupted, needsScale } from "./budget.ts";
import { expectedScale } from "./expected-scale.ts";

type Context = ControllerContext<ManagerOptions>;

const name = "disruption-controller";
const eventSource = "controllermanager";

const budgets = controller<PodDisruptionBudget, ManagerOptions>({
  name,
  eventSource,
  for: podDisruptionBudgets,
  watches: [watch(pods, (pod, context: Context) => budgetsOfPod(pod, context))],
  reads: [deployments, replicaSets, statefulSets, replicationControllers],
  workers: ({ flags }) => flags["concurrent-disruption-syncs"],
  reconcile,
});

/** Time (ms) after which the condition DisruptionTarget of an existing Pod is stale. */
const staleMs = 120_000;

const staleConditions = controller<Pod, ManagerOptions>({
  name,
  for: pods,
  queue: "stale_pod_disruption",
  workers: 1,
  predicate: (now) => now !== undefined && staleInMs(now, 0) !== undefined,
  async reconcile(pod, { client, clock }) {
    const waitMs = staleInMs(pod, clock.now());
    if (waitMs === undefined) return undefined;
    if (waitMs > 0) return { afterMs: waitMs };
    const { generation } = pod.metadata;
    const observed = findCondition(pod.status?.conditions, "DisruptionTarget")?.observedGeneration;
    const condition = {
      type: "DisruptionTarget",
      status: "False",
      reason: "",
      message: "",
      ...(observed && generation ? { observedGeneration: generation } : {}),
    } as const;
    const conditions = [...withCondition(pod.status?.conditions, condition, clock.now())];
    await client.updateStatus(pods, { ...pod, status: { ...pod.status, conditions } });
    return undefined;
  },
});

/**
 * Writes the status of PodDisruptionBudgets, and clears stale DisruptionTarget conditions of Pods.
 */
export const disruptionController: Controller<ManagerOptions> = {
  name,
  eventSource,
  async run(context) {
    await Promise.all([budgets.run(context), staleConditions.run(context)]);
  },
};

/** Time until a Pod's DisruptionTarget condition is stale; undefined if it has none. */
function staleInMs(pod: Pod, nowMs: number): number | undefined {
  const condition = findCondition(pod.status?.conditions, "DisruptionTarget");
  if (pod.metadata.deletionTimestamp || condition?.status !== "True") return undefined;
  if (condition.reason === "TerminationByKubelet" || isFinished(pod)) return undefined;
  const since = condition.lastTransitionTime ? parseTime(condition.lastTransitionTime) : 0;
  return Math.max(0, since + staleMs - nowMs);
}

const selectorOf = ({ spec }: PodDisruptionBudget): Selector =>
  compileLabelSelector(spec?.selector);

const budgetsOfPod = ({ metadata }: Pod, { informers }: Context): string[] =>
  selectingObjects(podDisruptionBudgets, selectorOf, metadata, informers);

async function reconcile(budget: PodDisruptionBudget, context: Context): Promise<ReconcileResult> {
  try {
    return await sync(budget, context);
  } catch (error) {
    if (isConflict(error)) throw error;
    context.log.error(error, "failed to update PodDisruptionBudget status", {
      budget: keyOf(budget),
    });
    await failSafe(budget, error as Error, context);
    return undefined;
  }
}

async function sync(budget: PodDisruptionBudget, context: Context): Promise<ReconcileResult> {
  const { client, clock, informers, recorder } = context;
  const { namespace = "" } = budget.metadata;
  const selected = selectedObjects(pods, namespace, selectorOf(budget), informers);
  if (selected.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found");
  const expected = await expectedCount(budget, selected, context);
  const nowMs = clock.now();
  const disrupted = findDisrupted(budget, selected, nowMs);
  for (const pod of disrupted.overdue) {
    const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    recorder.event(pod, "Warning", "NotDeleted", message);
  }
  const status = computeStatus(budget, selected, disrupted, expected, nowMs);
  if (!deepEqual(status, budget.status)) {
    await client.updateStatus(podDisruptionBudgets, { ...budget, status });
  }
  return { afterMs: disrupted.recheckMs };
}

async function expectedCount(
  budget: PodDisruptionBudget,
  selected: readonly Pod[],
  context: Context,
): Promise<number> {
  if (!needsScale(budget)) return selected.length;
  const { recorder } = context;
  try {
    const { expected, unmanaged } = await expectedScale(selected, context);
    if (unmanaged.length > 0) {
      const shown = JSON.stringify(budget.spec?.selector ?? {});
      const message = `Pods selected by this PodDisruptionBudget (selector: ${shown}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
      recorder.event(budget, "Warning", "UnmanagedPods", message);
    }
    return expected;
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${(error as Error).message}`;
    recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    throw error;
  }
}

/** If the state is unknown, no disruption is allowed. */
async function failSafe(
  budget: PodDisruptionBudget,
  { message }: Error,
  { client, clock }: Context,
): Promise<void> {
  const { status } = budget;
  const observed = status?.observedGeneration;
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message,
    ...(observed ? { observedGeneration: observed } : {}),
  } as const;
  await client.updateStatus(podDisruptionBudgets, {
    ...budget,
    status: {
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...status,
      disruptionsAllowed: 0,
      conditions: [...withCondition(status?.conditions, condition, clock.now())],
    },
  });
}
