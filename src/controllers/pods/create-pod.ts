/** Upstream: pkg/controller/controller_utils.go (RealPodControl). */
import { type Pod, type PodTemplateSpec, pods } from "#/api/core/v1.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import {
  ignoreNotFound,
  isNamespaceTerminating,
  isNotFound,
} from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { failureOf } from "#/std/base/as-error.ts";
import { slowStart } from "../base/slow-start.ts";

interface Owner {
  readonly metadata: ObjectMeta;
}

type PodContext = Pick<ControllerContext, "client" | "recorder">;

/** Limit of the name prefix, which leaves room for the server's suffix. */
const maxPrefix = 253 - 5;

/** A Pod from a template, with its owner. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: Owner,
  reference: OwnerReference,
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const prefix = `${owner.metadata.name}-`;
  return deepCopy({
    metadata: {
      namespace: owner.metadata.namespace,
      generateName: prefix.length > maxPrefix ? (owner.metadata.name ?? "") : prefix,
      ownerReferences: [reference],
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
    },
    spec: template.spec,
  }) as Pod;
}

/** Creates a Pod and records an event for its owner, also for a failure, which is thrown. */
async function createPod(pod: Pod, owner: Owner, { client, recorder }: PodContext): Promise<Pod> {
  try {
    const made = await client.create(pods, pod);
    recorder.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${made.metadata.name}`);
    return made;
  } catch (error) {
    // In a terminating namespace every creation fails: not worth an event.
    if (!isNamespaceTerminating(error)) {
      const message = `Error creating: ${(error as Error).message}`;
      recorder.event(owner, "Warning", "FailedCreate", message);
    }
    throw error;
  }
}

/**
 * Creates Pods as slowStart() does; returns their number. In a terminating namespace none is
 * created, which is no failure.
 */
export async function createPods(
  desired: readonly Pod[],
  owner: Owner,
  context: PodContext,
): Promise<{ count: number; failure: Error | undefined }> {
  let count = 0;
  const work = slowStart(desired, async (pod) => {
    try {
      await createPod(pod, owner, context);
      count++;
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  const failure = await failureOf(work);
  return { count, failure };
}

/** Deletes a Pod and records an event for its owner; an absent one throws, without an event. */
export async function deletePod(
  pod: Pod,
  owner: Owner,
  { client, recorder }: PodContext,
): Promise<void> {
  const { name = "", namespace } = pod.metadata;
  try {
    await client.delete(pods, { name, namespace });
  } catch (error) {
    if (!isNotFound(error)) {
      const message = `Error deleting: ${(error as Error).message}`;
      recorder.event(owner, "Warning", "FailedDelete", message);
    }
    throw error;
  }
  recorder.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
}

/** Deletes Pods in parallel. Absent ones are fine; the first other failure is thrown. */
export async function deletePods(
  toDelete: readonly Pod[],
  owner: Owner,
  context: PodContext,
): Promise<void> {
  const work = toDelete.map((pod) => deletePod(pod, owner, context).catch(ignoreNotFound));
  for (const result of await Promise.allSettled(work)) {
    if (result.status === "rejected") throw result.reason;
  }
}
