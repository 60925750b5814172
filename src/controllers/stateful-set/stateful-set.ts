/** Upstream: pkg/controller/statefulset. */
import { controllerRevisions, type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { persistentVolumeClaims, pods } from "#/api/core/v1.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
} from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { failureOf } from "#/std/base/as-error.ts";
import { watchOrphans } from "../base/claim.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { slowStart } from "../base/slow-start.ts";
import { claimPods } from "../pods/claim-pods.ts";
import { availableInMs } from "../pods/pod-state.ts";
import {
  claimRevisions,
  deleteRevisions,
  ensureRevision,
  type History,
} from "../revisions/revisions.ts";
import { act } from "./act.ts";
import { identityOf } from "./identity.ts";
import { isOrdered, type Plan, planSet, revisionOf, type SetView } from "./plan-set.ts";
import { computeStatus } from "./status.ts";

type Context = ControllerContext<ManagerOptions>;

/** Maintains Pods with their own names and claims. */
export const statefulSetController = controller<StatefulSet, ManagerOptions>({
  name: "statefulset-controller",
  for: statefulSets,
  owns: [pods],
  watches: [watchOrphans(pods, statefulSets)],
  reads: [persistentVolumeClaims, controllerRevisions],
  workers: ({ flags }) => flags["concurrent-statefulset-syncs"],
  reconcile,
});

async function reconcile(set: StatefulSet, context: Context): Promise<ReconcileResult> {
  const revisions = await claimRevisions(set, statefulSets, context);
  const history = await ensureRevision(set, statefulSets, revisions, context);
  const before = await observe(set, history, context);
  const failure = await failureOf(carryOut(planSet(before), set, context));
  const after = await observe(set, history, context);
  const status = computeStatus(after, history.collisionCount ?? 0);
  if (!deepEqual(status, set.status)) {
    await context.client.updateStatus(statefulSets, { ...set, status });
  }
  await truncate(after, history, context);
  if (failure) throw failure;
  return nextCheck(after);
}

async function observe(set: StatefulSet, history: History, context: Context): Promise<SetView> {
  const { newest, old } = history;
  const { currentRevision } = set.status ?? {};
  const claimed = await claimPods(
    {
      owner: set,
      ownerResource: statefulSets,
      selector: compileLabelSelector(set.spec.selector),
      filter: (pod) => identityOf(pod)?.parent === set.metadata.name,
    },
    context,
  );
  return {
    set,
    pods: claimed,
    current: old.find(({ metadata }) => metadata.name === currentRevision) ?? newest,
    update: newest,
    nowMs: context.clock.now(),
    obeysMaxUnavailable: context.options.enabled("MaxUnavailableStatefulSet"),
  };
}

async function carryOut(plan: Plan, set: StatefulSet, context: Context): Promise<void> {
  for (const actions of plan) {
    if (isOrdered(set)) for (const action of actions) await act(action, set, context);
    else await slowStart(actions, (action) => act(action, set, context));
  }
}

/** Deletes unused old revisions beyond the limit. */
async function truncate(
  { set, pods: all, current }: SetView,
  { old }: History,
  context: Context,
): Promise<void> {
  const used = new Set([current.metadata.name, ...all.map(revisionOf)]);
  const unused = old.filter(({ metadata }) => !used.has(metadata.name));
  const excess = unused.length - (set.spec.revisionHistoryLimit ?? 10);
  await deleteRevisions(unused, excess, () => false, context);
}

/** A ready Pod becomes available after minReadySeconds, without an event. */
function nextCheck({ set, pods: all, nowMs }: SetView): ReconcileResult {
  const { minReadySeconds = 0 } = set.spec;
  if (minReadySeconds === 0) return undefined;
  const waits = all.flatMap((pod) => availableInMs(pod, minReadySeconds, nowMs) ?? []);
  return waits.length > 0 ? { afterMs: Math.min(...waits) } : undefined;
}
