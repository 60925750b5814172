/** Upstream: pkg/controller/deployment. */
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import {
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { findControllerReference } from "#/machinery/meta/owner-references.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { claim, watchOrphans } from "../base/claim.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { controlledObjects, selectedOrphans } from "../base/selected-objects.ts";
import { podsControlledBy } from "../pods/pod-indexes.ts";
import { isFinished } from "../pods/pod-state.ts";
import { ensureNewSet } from "./new-set.ts";
import { planNewSet, planOldSets, planScaling, type Resize } from "./plan-sizes.ts";
import {
  annotations,
  byRevision,
  numberAnnotation,
  sizeAnnotations,
  splitSets,
} from "./revisions.ts";
import { rollBack, rollbackRevision } from "./rollback.ts";
import { desiredReplicas, historyLimit, sizeOf, sum } from "./sizes.ts";
import {
  computeRolloutStatus,
  computeStatus,
  isComplete,
  pausedCondition,
  progressCheckMs,
  setCondition,
} from "./status.ts";

export type Context = ControllerContext<ManagerOptions>;

/** The newest ReplicaSet, if it exists, and the others. */
interface Sets {
  readonly newSet: ReplicaSet | undefined;
  readonly oldSets: readonly ReplicaSet[];
}

/**
 * Rolls Deployments out: from old ReplicaSets to one with the newest template, within their limits.
 */
export const deploymentController = controller<Deployment, ManagerOptions>({
  name: "deployment-controller",
  for: deployments,
  owns: [replicaSets],
  watches: [watchOrphans(replicaSets, deployments), watch(pods, recreatedOwner)],
  workers: ({ flags }) => flags["concurrent-deployment-syncs"],
  reconcile,
});

/** A Deployment that waits for the deletion of its old Pods is enqueued when one is deleted. */
function recreatedOwner(
  pod: { metadata: ReplicaSet["metadata"] },
  { informers }: Context,
): string[] {
  const reference = findControllerReference(pod);
  if (reference?.kind !== "ReplicaSet") return [];
  const namespace = pod.metadata.namespace ?? "";
  const set = informers.informer(replicaSets).store.get(namespace, reference.name);
  const owner = set && findControllerReference(set);
  const found = owner && informers.informer(deployments).store.get(namespace, owner.name);
  return found?.spec?.strategy?.type === "Recreate" ? [keyOf(found)] : [];
}

async function reconcile(deployment: Deployment, context: Context): Promise<ReconcileResult> {
  const { client, recorder } = context;
  const selector = deployment.spec?.selector ?? {};
  if (Object.keys(selector).length === 0) {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    recorder.event(deployment, "Warning", "SelectingAll", message);
    return undefined;
  }
  const sets = await ownSets(deployment, context);
  if (deployment.metadata.deletionTimestamp) {
    return await writeStatus(
      deployment,
      computeStatus(inputOf(deployment, splitSets(deployment, sets), context)),
      context,
    );
  }
  const paused = pausedCondition(deployment);
  if (paused) {
    const now = deployment.status?.conditions ?? [];
    const conditions = setCondition(now, paused, context.clock.now());
    const status = { ...deployment.status, conditions };
    deployment = await client.updateStatus(deployments, { ...deployment, status });
  }
  if (deployment.spec?.paused) return await scale(deployment, sets, context);
  if (rollbackRevision(deployment) !== undefined) {
    const { sets: all } = await ensureNewSet(deployment, sets, context, { create: true });
    return await rollBack(deployment, all, context);
  }
  return await rollOut(deployment, sets, context);
}

async function ownSets(
  deployment: Deployment,
  { client, informers }: Context,
): Promise<ReplicaSet[]> {
  const selector = compileLabelSelector(deployment.spec?.selector);
  const { namespace = "" } = deployment.metadata;
  const all = [
    ...controlledObjects(replicaSets, deployment, informers),
    ...selectedOrphans(replicaSets, namespace, selector, informers),
  ];
  return await claim(all, {
    client,
    owner: deployment,
    ownerResource: deployments,
    resource: replicaSets,
    matches: (labels) => selector.matches(labels),
  });
}

async function rollOut(
  given: Deployment,
  all: readonly ReplicaSet[],
  context: Context,
): Promise<ReconcileResult> {
  const isRecreated = given.spec?.strategy?.type === "Recreate";
  const known = await ensureNewSet(given, all, context, { create: false });
  if (wasScaled(known.deployment, known.sets))
    return await scale(known.deployment, known.sets, context);
  if (isRecreated) return await recreate(known.deployment, known.sets, context);
  const { deployment, sets } = await ensureNewSet(known.deployment, known.sets, context, {
    create: true,
  });
  const { newSet, oldSets } = splitSets(deployment, sets);
  if (!newSet) throw new Error("the new replica set is not there");
  const grown = planNewSet(deployment, newSet, sets);
  const changes =
    grown.length > 0 ? grown : planOldSets(deployment, newSet, oldSets.filter(isActive));
  if (changes.length > 0) {
    const changed = await resize(deployment, changes, context);
    return await writeRollout(deployment, replaced(sets, changed), context);
  }
  if (isComplete(deployment)) await removeHistory(deployment, oldSets, context);
  return await writeRollout(deployment, sets, context);
}

const isActive = (set: ReplicaSet): boolean => sizeOf(set) > 0;

/** Whether the Deployment was scaled since the size was written to its ReplicaSets. */
function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.filter(isActive).some((set) => {
    const noted = numberAnnotation(set, annotations.desiredReplicas);
    return noted !== undefined && noted !== desiredReplicas(deployment);
  });
}

/** Deletes all old Pods before the first new one is created. */
async function recreate(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  context: Context,
): Promise<ReconcileResult> {
  const { newSet, oldSets } = splitSets(deployment, sets);
  const removed = oldSets.filter(isActive).map((set) => ({ set, replicas: 0 }));
  if (removed.length > 0) {
    const changed = await resize(deployment, removed, context);
    return await writeRollout(deployment, replaced(sets, changed), context);
  }
  if (hasOldPods(sets, newSet, oldSets, context)) {
    return await writeRollout(deployment, sets, context);
  }
  const made = newSet
    ? { deployment, sets }
    : await ensureNewSet(deployment, sets, context, { create: true });
  const latest = splitSets(made.deployment, made.sets).newSet;
  const desired = desiredReplicas(made.deployment);
  const changed =
    latest && sizeOf(latest) !== desired
      ? await resize(made.deployment, [{ set: latest, replicas: desired }], context)
      : new Map();
  if (isComplete(made.deployment)) await removeHistory(made.deployment, oldSets, context);
  return await writeRollout(made.deployment, replaced(made.sets, changed), context);
}

function hasOldPods(
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  { informers }: Context,
): boolean {
  if (sum(oldSets, ({ status }) => status?.replicas) > 0) return true;
  return sets
    .filter((set) => set !== newSet)
    .some((set) => podsControlledBy(set, informers).some((pod) => !isFinished(pod)));
}

/** Applies the Deployment's size, without a rollout. */
async function scale(
  given: Deployment,
  all: readonly ReplicaSet[],
  context: Context,
): Promise<ReconcileResult> {
  const { deployment, sets } = await ensureNewSet(given, all, context, { create: false });
  const { newSet, oldSets } = splitSets(deployment, sets);
  const changed = await resize(deployment, planScaling(deployment, newSet, oldSets), context);
  const now = replaced(sets, changed);
  if (deployment.spec?.paused) await removeHistory(deployment, oldSets, context);
  const input = inputOf(deployment, splitSets(deployment, now), context);
  return await writeStatus(deployment, computeStatus(input), context);
}

/** Writes new sizes and size annotations; returns the changed ReplicaSets by their old form. */
async function resize(
  deployment: Deployment,
  changes: readonly Resize[],
  { client, recorder }: Context,
): Promise<Map<ReplicaSet, ReplicaSet>> {
  const changed = new Map<ReplicaSet, ReplicaSet>();
  for (const { set, replicas } of changes) {
    const updated = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
    const size = sizeOf(set);
    if (size === replicas && deepEqual(updated, set.metadata.annotations)) continue;
    const desired = {
      ...set,
      metadata: { ...set.metadata, annotations: updated },
      spec: { ...set.spec, replicas },
    } as ReplicaSet;
    changed.set(set, await client.update(replicaSets, desired));
    if (size === replicas) continue;
    const direction = size < replicas ? "up" : "down";
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${size} to ${replicas}`;
    recorder.event(deployment, "Normal", "ScalingReplicaSet", message);
  }
  return changed;
}

const replaced = (
  sets: readonly ReplicaSet[],
  changed: ReadonlyMap<ReplicaSet, ReplicaSet>,
): ReplicaSet[] => sets.map((set) => changed.get(set) ?? set);

/** Deletes old ReplicaSets without Pods beyond the limit, the oldest revisions first. */
async function removeHistory(
  deployment: Deployment,
  oldSets: readonly ReplicaSet[],
  { client }: Context,
): Promise<void> {
  const limit = historyLimit(deployment);
  const alive = oldSets.filter(({ metadata }) => !metadata.deletionTimestamp);
  if (limit === undefined || alive.length <= limit) return;
  const oldest = [...alive].sort(byRevision);
  for (const set of oldest.slice(0, alive.length - limit)) {
    const { metadata, status } = set;
    const isUsed = (status?.replicas ?? 0) !== 0 || sizeOf(set) !== 0;
    if (isUsed || (metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) continue;
    await client.delete(replicaSets, refOf(set)).catch(ignoreNotFound);
  }
}

const inputOf = (deployment: Deployment, sets: Sets, { clock, options }: Context) => ({
  deployment,
  ...sets,
  nowMs: clock.now(),
  reportsTerminating: options.enabled("DeploymentReplicaSetTerminatingReplicas"),
});

async function writeRollout(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  context: Context,
): Promise<ReconcileResult> {
  const input = inputOf(deployment, splitSets(deployment, sets), context);
  return await writeStatus(deployment, computeRolloutStatus(input), context);
}

async function writeStatus(
  deployment: Deployment,
  status: NonNullable<Deployment["status"]>,
  { client, clock }: Context,
): Promise<ReconcileResult> {
  if (!deepEqual(status, deployment.status)) {
    await client.updateStatus(deployments, { ...deployment, status });
  }
  return { afterMs: progressCheckMs(deployment, status, clock.now()) };
}
