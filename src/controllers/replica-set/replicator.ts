/** Upstream: pkg/controller/replicaset/replica_set.go, pkg/controller/replication. */

import type { Resource } from "#/api/base/resource.ts";
import { type Pod, type PodTemplateSpec, pods } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
} from "#/controller/controller.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { failureOf } from "#/std/base/as-error.ts";
import { watchOrphans } from "../base/claim.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { claimPods } from "../pods/claim-pods.ts";
import { createPods, deletePods, podFromTemplate } from "../pods/create-pod.ts";
import { podsToDelete } from "../pods/deletion-order.ts";
import { availableInMs, isActive, isTerminating } from "../pods/pod-state.ts";
import { computeStatus, type ReplicaStatus } from "./status.ts";

/** A ReplicaSet or a ReplicationController. */
export interface Replicated {
  readonly metadata: ObjectMeta;
  readonly spec?:
    | {
        readonly replicas?: number | undefined;
        readonly minReadySeconds?: number | undefined;
        readonly template?: PodTemplateSpec | undefined;
      }
    | undefined;
  readonly status?: ReplicaStatus | undefined;
}

type Context = ControllerContext<ManagerOptions>;

interface ReplicatorDeclaration<T extends Replicated> {
  readonly name: string;
  readonly eventSource: string;
  readonly resource: Resource<T>;
  readonly workers: (options: ManagerOptions) => number;
  readonly selectorOf: (owner: T) => Selector;
  /** Whether its status reports terminating Pods. */
  readonly reportsTerminating: (options: ManagerOptions) => boolean;
  /** All Pods of the same origin: duplicates on a node are deleted first. */
  readonly relatedPods: (owner: T, context: Context) => readonly Pod[];
}

/** Limit of Pods created or deleted in one sync. */
const burst = 500;

/** A controller that maintains a number of Pods from one template. */
export function replicator<T extends Replicated>(
  declaration: ReplicatorDeclaration<T>,
): Controller<ManagerOptions> {
  const { name, eventSource, resource, workers, selectorOf } = declaration;
  return controller<T, ManagerOptions>({
    name,
    eventSource,
    for: resource,
    owns: [pods],
    watches: [watchOrphans(pods, resource, selectorOf)],
    workers,
    reconcile: (owner, context) => reconcile(owner, context, declaration),
  });
}

async function reconcile<T extends Replicated>(
  owner: T,
  context: Context,
  declaration: ReplicatorDeclaration<T>,
): Promise<ReconcileResult> {
  const { client, clock, options } = context;
  const { resource, selectorOf, reportsTerminating } = declaration;
  const selector = selectorOf(owner);
  const claimed = await claimPods({ owner, ownerResource: resource, selector }, context);
  const active = claimed.filter(isActive);
  const failure = owner.metadata.deletionTimestamp
    ? undefined
    : await failureOf(manage(owner, active, context, declaration));
  const now = clock.now();
  const status = computeStatus(owner, active, {
    failure,
    nowMs: now,
    terminating: reportsTerminating(options) ? claimed.filter(isTerminating).length : undefined,
  });
  if (!deepEqual(status, owner.status)) {
    await client.updateStatus(resource, { ...owner, status } as T);
  }
  if (failure) throw failure;
  return nextCheck(owner, active, now);
}

/** Creates or deletes Pods until the number is right. */
async function manage<T extends Replicated>(
  owner: T,
  active: readonly Pod[],
  context: Context,
  { resource, relatedPods }: ReplicatorDeclaration<T>,
): Promise<void> {
  const difference = active.length - (owner.spec?.replicas ?? 1);
  const { template } = owner.spec ?? {};
  if (difference < 0 && template) {
    const pod = podFromTemplate(template, owner, controllerReference(owner, resource));
    const desired = Array.from({ length: Math.min(-difference, burst) }, () => pod);
    const { failure } = await createPods(desired, owner, context);
    if (failure) throw failure;
  }
  if (difference > 0) {
    const count = Math.min(difference, burst);
    const toDelete = podsToDelete(active, relatedPods(owner, context), count, context.clock.now());
    await deletePods(toDelete, owner, context);
  }
}

/** A ready Pod becomes available after minReadySeconds, without an event. */
function nextCheck(owner: Replicated, active: readonly Pod[], nowMs: number): ReconcileResult {
  const seconds = owner.spec?.minReadySeconds ?? 0;
  if (seconds === 0) return undefined;
  const waits = active.flatMap((pod) => availableInMs(pod, seconds, nowMs) ?? []);
  return waits.length === 0 ? undefined : { afterMs: Math.min(...waits) };
}
