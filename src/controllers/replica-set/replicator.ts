/** Upstream: pkg/controller/replicaset/replica_set.go, pkg/controller/replication. */
import { type Pod, type PodTemplateSpec, pods } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Resource } from "#/api/resource.ts";
import { keyOf } from "#/client/object-key.ts";
import {
  type Controller,
  type ControllerContext,
  controller,
  type ReconcileResult,
  watch,
} from "#/controller/controller.ts";
import { deepEqual } from "#/machinery/deep-equal.ts";
import type { Selector } from "#/machinery/labels.ts";
import { controllerReference, findControllerReference } from "#/machinery/owner-references.ts";
import { isNotFound } from "#/machinery/status-error.ts";
import { claim } from "../claim.ts";
import type { ManagerOptions } from "../manager-options.ts";
import {
  createPod,
  deletePod,
  isNamespaceTerminating,
  podFromTemplate,
} from "../pods/create-pod.ts";
import { podsToDelete } from "../pods/deletion-order.ts";
import { availableInMs, isActive, isTerminating } from "../pods/pod-state.ts";
import { slowStart } from "../slow-start.ts";
import { computeStatus, type ReplicaStatus } from "./status.ts";

/** What has replicas: a ReplicaSet or a ReplicationController. */
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

export interface ReplicatorDeclaration<T extends Replicated> {
  readonly name: string;
  readonly eventSource: string;
  readonly resource: Resource<T>;
  readonly workers: (options: ManagerOptions) => number;
  readonly selectorOf: (owner: T) => Selector;
  /** Whether its status says how many pods are going. */
  readonly tellsTerminating: (options: ManagerOptions) => boolean;
  /** All pods of the same origin: doubles among them on a node are given up first. */
  readonly relatedPods: (owner: T, context: Context) => readonly Pod[];
}

/** At most so many pods are made or deleted at a time. */
const burst = 500;

/** A controller that keeps a number of pods of one template. */
export function replicator<T extends Replicated>(
  declaration: ReplicatorDeclaration<T>,
): Controller<ManagerOptions> {
  const { name, eventSource, resource, workers, selectorOf } = declaration;
  /** Who may want to adopt an orphan. */
  const orphanOwners = (pod: Pod, { informers }: Context): string[] => {
    if (findControllerReference(pod)) return [];
    const owners = informers.informer(resource).store.listNamespace(pod.metadata.namespace ?? "");
    return owners
      .filter((owner) => selectorOf(owner).matches(pod.metadata.labels ?? {}))
      .map(keyOf);
  };
  return controller<T, ManagerOptions>({
    name,
    eventSource,
    for: resource,
    owns: [pods],
    watches: [watch(pods, orphanOwners)],
    workers,
    reconcile: (owner, context) => reconcile(owner, context, declaration),
  });
}

async function reconcile<T extends Replicated>(
  owner: T,
  context: Context,
  declaration: ReplicatorDeclaration<T>,
): Promise<ReconcileResult> {
  const { client, informers, clock, options } = context;
  const { resource, selectorOf, tellsTerminating } = declaration;
  const all = informers.informer(pods).store.listNamespace(owner.metadata.namespace ?? "");
  const selector = selectorOf(owner);
  const claimed = await claim(all.filter(concerns(owner, selector)), {
    client,
    owner,
    ownerResource: resource,
    resource: pods,
    matches: (labels) => selector.matches(labels),
  });
  const active = claimed.filter(isActive);
  const failure = owner.metadata.deletionTimestamp
    ? undefined
    : await manage(owner, active, context, declaration).then(() => undefined, asError);
  const now = clock.now();
  const status = computeStatus(owner, active, {
    failure,
    nowMs: now,
    terminating: tellsTerminating(options) ? claimed.filter(isTerminating).length : undefined,
  });
  if (!deepEqual(status, owner.status)) {
    await client.updateStatus(resource, { ...owner, status } as T);
  }
  if (failure) throw failure;
  return nextLook(owner, active, now);
}

/** Whether a pod may be the owner's: it fits the selector, or is owned by it whether it fits or not. */
function concerns(owner: Replicated, selector: Selector): (pod: Pod) => boolean {
  return (pod) =>
    findControllerReference(pod)?.uid === owner.metadata.uid ||
    (!findControllerReference(pod) && selector.matches(pod.metadata.labels ?? {}));
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Makes or deletes pods until there are as many as there should be. */
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
    await slowStart(Math.min(-difference, burst), async () => {
      try {
        await createPod(pod, owner, context);
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
  }
  if (difference > 0) {
    const count = Math.min(difference, burst);
    const doomed = podsToDelete(active, relatedPods(owner, context), count, context.clock.now());
    const results = await Promise.allSettled(doomed.map((pod) => deletePod(pod, owner, context)));
    for (const result of results) {
      if (result.status === "rejected" && !isNotFound(result.reason)) throw result.reason;
    }
  }
}

/** A pod that is ready becomes available by the passing of time alone. */
function nextLook(owner: Replicated, active: readonly Pod[], nowMs: number): ReconcileResult {
  const seconds = owner.spec?.minReadySeconds ?? 0;
  if (seconds === 0) return undefined;
  const waits = active.flatMap((pod) => availableInMs(pod, seconds, nowMs) ?? []);
  return waits.length === 0 ? undefined : { afterMs: Math.min(...waits) };
}
