/** Upstream: pkg/controller/deployment/sync.go (getNewReplicaSet). */
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { controllerReference, isControlledBy } from "#/machinery/meta/owner-references.ts";
import { isAlreadyExists, isNamespaceTerminating } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { templateHash } from "../base/template-hash.ts";
import type { Context } from "./deployment.ts";
import { newSetSize } from "./plan-sizes.ts";
import {
  annotations,
  hashLabel,
  isSameTemplate,
  maxRevision,
  newSetAnnotations,
  splitSets,
} from "./revisions.ts";
import { deadlineMs } from "./sizes.ts";
import { setCondition } from "./status.ts";

/** A Deployment and its ReplicaSets after a step. */
interface Step {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
}

/**
 * Ensures that the newest ReplicaSet exists (if it may be created) and has the newest revision, as
 * well as the Deployment.
 */
export async function ensureNewSet(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  context: Context,
  { create }: { readonly create: boolean },
): Promise<Step> {
  const { newSet, oldSets } = splitSets(deployment, sets);
  const revision = maxRevision(oldSets) + 1n;
  if (newSet) return await syncNewSet(deployment, sets, newSet, revision, context);
  if (!create) return { deployment, sets };
  return await createNewSet(deployment, sets, revision, context);
}

async function syncNewSet(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  newSet: ReplicaSet,
  revision: bigint,
  context: Context,
): Promise<Step> {
  const desired = newSetAnnotations(deployment, newSet, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  let set = newSet;
  const isSame =
    deepEqual(desired, newSet.metadata.annotations ?? {}) &&
    (newSet.spec?.minReadySeconds ?? 0) === minReadySeconds;
  if (!isSame) {
    set = await context.client.update(replicaSets, {
      ...newSet,
      metadata: { ...newSet.metadata, annotations: desired },
      spec: { ...newSet.spec, minReadySeconds },
    } as ReplicaSet);
  }
  const recorded = set.metadata.annotations?.[annotations.revision] ?? "";
  const found = {
    type: "Progressing",
    status: "True",
    reason: "FoundNewReplicaSet",
    message: `Found new replica set "${set.metadata.name}"`,
  };
  const hasNoProgressing = !findCondition(deployment.status?.conditions, "Progressing");
  const updated = await recordRevision(
    deployment,
    recorded,
    hasNoProgressing ? found : undefined,
    context,
  );
  return { deployment: updated, sets: sets.map((one) => (one === newSet ? set : one)) };
}

/**
 * Writes the revision, and the condition if there is one, to the Deployment; conditions need a
 * progress deadline.
 */
async function recordRevision(
  deployment: Deployment,
  revision: string,
  condition: Parameters<typeof setCondition>[1] | undefined,
  { client, clock }: Context,
): Promise<Deployment> {
  const newCondition = deadlineMs(deployment) === undefined ? undefined : condition;
  const isRecorded = deployment.metadata.annotations?.[annotations.revision] === revision;
  if (isRecorded && !newCondition) return deployment;
  const now = deployment.status?.conditions ?? [];
  return await client.updateStatus(deployments, {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: { ...deployment.metadata.annotations, [annotations.revision]: revision },
    },
    status: {
      ...deployment.status,
      ...(newCondition ? { conditions: setCondition(now, newCondition, clock.now()) } : {}),
    },
  });
}

async function createNewSet(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  revision: bigint,
  context: Context,
): Promise<Step> {
  const { client, recorder } = context;
  const desired = newSetOf(deployment, sets, revision);
  const name = desired.metadata.name;
  let made: ReplicaSet;
  try {
    made = await client.create(replicaSets, desired);
  } catch (error) {
    if (isAlreadyExists(error))
      return await adoptOrBumpCollisionCount(deployment, sets, desired, error, context);
    if (!isNamespaceTerminating(error))
      await recordCreateError(deployment, name ?? "", error, context);
    throw error;
  }
  const size = desired.spec?.replicas ?? 0;
  if (size > 0) {
    const message = `Scaled up replica set ${name} from 0 to ${size}`;
    recorder.event(deployment, "Normal", "ScalingReplicaSet", message);
  }
  const created = {
    type: "Progressing",
    status: "True",
    reason: "NewReplicaSetCreated",
    message: `Created new replica set "${name}"`,
  };
  const updated = await recordRevision(deployment, String(revision), created, context);
  return { deployment: updated, sets: [...sets, made] };
}

const maxNameLength = 253;

function newSetOf(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  revision: bigint,
): ReplicaSet {
  const { template, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  const prefix = (deployment.metadata.name ?? "").slice(0, maxNameLength - 1 - hash.length);
  return {
    metadata: {
      name: `${prefix}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      ownerReferences: [controllerReference(deployment, deployments)],
      labels,
      annotations: newSetAnnotations(deployment, undefined, revision),
    },
    spec: {
      replicas: newSetSize(deployment, 0, sets),
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  } as ReplicaSet;
}

/** The name is taken: by the same ReplicaSet, or by one with another template and the same hash. */
async function adoptOrBumpCollisionCount(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  desired: ReplicaSet,
  error: unknown,
  { client }: Context,
): Promise<Step> {
  const { name = "", namespace } = desired.metadata;
  const there = await client.get(replicaSets, { name, namespace });
  const isOurs =
    isControlledBy(there, deployment) &&
    isSameTemplate(there.spec?.template, deployment.spec?.template);
  if (isOurs) return { deployment, sets: [...sets, there] };
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await client.updateStatus(deployments, {
    ...deployment,
    status: { ...deployment.status, collisionCount },
  });
  throw error;
}

async function recordCreateError(
  deployment: Deployment,
  name: string,
  error: unknown,
  { client, clock, recorder, log }: Context,
): Promise<void> {
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${name}": ${(error as Error).message}`;
  recorder.event(deployment, "Warning", reason, message);
  if (deadlineMs(deployment) === undefined) return;
  const failed = { type: "Progressing", status: "False", reason, message };
  const conditions = setCondition(deployment.status?.conditions ?? [], failed, clock.now());
  await client
    .updateStatus(deployments, { ...deployment, status: { ...deployment.status, conditions } })
    .catch((other: unknown) => log.error(other, "failed to record ReplicaSetCreateError"));
}
