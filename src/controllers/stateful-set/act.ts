/** Upstream: pkg/controller/statefulset/stateful_pod_control.go. */
import type { StatefulSet } from "#/api/apps/v1.ts";
import {
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
} from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import type { ControllerContext } from "#/controller/controller.ts";
import { ignoreNotFound, isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { hasOtherController, isStale, ownersToSet } from "./claim-owners.ts";
import { claimsOf, corrected, ordinalOf } from "./identity.ts";
import type { Action } from "./plan-set.ts";

type Context = Pick<ControllerContext, "client" | "informers" | "recorder">;

/** Executes a planned action on a Pod, and records an event for the set. */
export async function act(
  { verb, pod }: Action,
  set: StatefulSet,
  context: Context,
): Promise<void> {
  if (verb === "create") return await create(set, pod, context);
  if (verb === "tend") return await tend(set, pod, context);
  if (verb === "retain") return await setClaimOwners(set, pod, context);
  await withEvent("delete", set, pod, context, async () => {
    await context.client.delete(pods, refOf(pod)).catch(ignoreNotFound);
  });
}

async function create(set: StatefulSet, pod: Pod, context: Context): Promise<void> {
  // A claim that is deleted with a former Pod must be removed before a new one is created.
  if (claimsThere(set, pod, context).some((claim) => isStale(claim, pod))) return;
  await withEvent("create", set, pod, context, async () => {
    await createClaims(set, pod, context);
    const made = await context.client.create(pods, pod);
    await setClaimOwners(set, made, context);
  });
}

async function tend(set: StatefulSet, pod: Pod, context: Context): Promise<void> {
  if (pod.status?.phase === "Pending") await createClaims(set, pod, context);
  await setClaimOwners(set, pod, context);
  const right = corrected(set, pod);
  if (!right) return;
  await withEvent("update", set, pod, context, async () => {
    await createClaims(set, pod, context);
    await context.client.update(pods, right);
  });
}

/** Records an event for an action on a Pod, or for its failure. */
async function withEvent(
  verb: "create" | "update" | "delete",
  set: StatefulSet,
  pod: Pod,
  { recorder }: Context,
  work: () => Promise<void>,
): Promise<void> {
  const title = titles[verb];
  const subject = `${title} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  try {
    await work();
  } catch (error) {
    if (!isAlreadyExists(error)) {
      const message = `${subject} failed error: ${(error as Error).message}`;
      recorder.event(set, "Warning", `Failed${title}`, message);
    }
    throw error;
  }
  recorder.event(set, "Normal", `Successful${title}`, `${subject} successful`);
}

const titles = { create: "Create", update: "Update", delete: "Delete" } as const;

function claimsThere(set: StatefulSet, pod: Pod, { informers }: Context): PersistentVolumeClaim[] {
  const { store } = informers.informer(persistentVolumeClaims);
  return [...claimsOf(set, ordinalOf(pod)).values()].flatMap(
    ({ metadata }) => store.get(metadata.namespace, metadata.name ?? "") ?? [],
  );
}

async function createClaims(set: StatefulSet, pod: Pod, context: Context): Promise<void> {
  const { client, informers, recorder } = context;
  const { store } = informers.informer(persistentVolumeClaims);
  for (const claim of claimsOf(set, ordinalOf(pod)).values()) {
    const { name, namespace } = claim.metadata;
    const there = store.get(namespace, name ?? "");
    if (there?.metadata.deletionTimestamp) throw new Error(`pvc ${name} is being deleted`);
    if (there) continue;
    const owner = `${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      await client.create(persistentVolumeClaims, claim);
    } catch (error) {
      const { message } = error as Error;
      if (!isAlreadyExists(error)) {
        const text = `Create Claim ${name} for Pod ${owner} failed error: ${message}`;
        recorder.event(set, "Warning", "FailedCreate", text);
      }
      throw new Error(`failed to create PVC ${name}: ${message}`, { cause: error });
    }
    const message = `Create Claim ${name} Pod ${owner} success`;
    recorder.event(set, "Normal", "SuccessfulCreate", message);
  }
}

/**
 * Sets the owners of claims, so that they are deleted with the set or with a removed Pod, by its
 * policy.
 */
async function setClaimOwners(set: StatefulSet, pod: Pod, context: Context): Promise<void> {
  for (const claim of claimsThere(set, pod, context)) {
    const ownerReferences = ownersToSet(claim, set, pod);
    if (hasOtherController(claim, set, pod)) {
      const message = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      context.recorder.event(set, "Warning", "ConflictingController", message);
    }
    if (!ownerReferences) continue;
    const metadata = { ...claim.metadata, ownerReferences };
    await context.client.update(persistentVolumeClaims, { ...claim, metadata });
  }
}
