/** Upstream: pkg/controller/controller_ref_manager.go. */

import type { Resource } from "#/api/base/resource.ts";
import type { LabelSelector, ObjectMeta } from "#/api/meta/v1.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";
import { type Watch, watch } from "#/controller/watch.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Labels, Selector } from "#/machinery/meta/labels.ts";
import { controllerReference, findControllerReference } from "#/machinery/meta/owner-references.ts";
import { ignoreNotFound, isInvalid, isNotFound } from "#/machinery/meta/status-error.ts";
import { selectingObjects } from "./selecting-objects.ts";

interface Claimable {
  readonly metadata: ObjectMeta;
}

interface ClaimOptions<T extends Claimable> {
  readonly client: Client;
  readonly owner: Claimable;
  readonly ownerResource: Resource<unknown>;
  /** The resource of the claimed objects. */
  readonly resource: Resource<T>;
  /** Whether the owner's selector matches these labels. */
  readonly matches: (labels: Labels) => boolean;
  /** Added to adopted objects, and removed from released ones. */
  readonly finalizers?: readonly string[];
}

/**
 * The owner's objects: those that it controls, and orphans that match its selector, which it
 * adopts. Controlled objects that no longer match are released. An owner that is being deleted
 * neither adopts nor releases.
 */
export async function claim<T extends Claimable>(
  objects: readonly T[],
  options: ClaimOptions<T>,
): Promise<T[]> {
  const { owner, matches } = options;
  const claimed: T[] = [];
  const isLeaving = owner.metadata.deletionTimestamp !== undefined;
  const mayAdopt = onceAsked(() => confirmOwner(options));
  for (const object of objects) {
    const reference = findControllerReference(object);
    const fits = matches(object.metadata.labels ?? {});
    if (reference && reference.uid !== owner.metadata.uid) continue;
    if (reference && fits) claimed.push(object);
    else if (isLeaving || object.metadata.namespace !== owner.metadata.namespace) continue;
    else if (reference) await release(object, options);
    else if (fits && object.metadata.deletionTimestamp === undefined) {
      await mayAdopt();
      const adopted = await adopt(object, options);
      if (adopted) claimed.push(adopted);
    }
  }
  return claimed;
}

interface Selecting {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined;
}

const ownSelector = ({ spec }: Selecting): Selector => compileLabelSelector(spec?.selector);

/** Watches objects without a controller: a change enqueues the keys of possible adopters. */
export function watchOrphans<Owner extends Claimable>(
  resource: Resource<Claimable>,
  owners: Resource<Owner>,
  selectorOf: (owner: Owner) => Selector = ownSelector,
): Watch {
  return watch(resource, (object, { informers }) => {
    const { namespace = "", labels = {}, deletionTimestamp } = object.metadata;
    if (findControllerReference(object) || deletionTimestamp) return [];
    return selectingObjects(owners, selectorOf, { namespace, labels }, informers);
  });
}

function onceAsked(ask: () => Promise<void>): () => Promise<void> {
  let answer: Promise<void> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/**
 * Reads the owner from the server: the store may not know yet that it is being deleted, or
 * replaced.
 */
async function confirmOwner<T extends Claimable>(options: ClaimOptions<T>): Promise<void> {
  const { client, owner, ownerResource } = options;
  const fresh = (await client.get(ownerResource, refOf(owner))) as Claimable;
  const name = `${owner.metadata.namespace}/${owner.metadata.name}`;
  if (fresh.metadata.uid !== owner.metadata.uid) {
    throw new Error(
      `original ${ownerResource.kind} ${name} is gone: got uid ${fresh.metadata.uid}, wanted ${owner.metadata.uid}`,
    );
  }
  if (fresh.metadata.deletionTimestamp !== undefined) {
    throw new Error(`${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`);
  }
}

async function adopt<T extends Claimable>(
  object: T,
  { client, owner, ownerResource, resource, finalizers }: ClaimOptions<T>,
): Promise<T | undefined> {
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [controllerReference(owner, ownerResource)],
    ...(finalizers ? { finalizers } : {}),
  };
  return await client
    .patch(resource, refOf(object), { metadata }, { type: "strategic" })
    .catch(ignoreNotFound);
}

async function release<T extends Claimable>(
  object: T,
  { client, owner, resource, finalizers }: ClaimOptions<T>,
): Promise<void> {
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
    ...(finalizers ? { "$deleteFromPrimitiveList/finalizers": finalizers } : {}),
  };
  try {
    await client.patch(resource, refOf(object), { metadata }, { type: "strategic" });
  } catch (error) {
    // It is deleted or replaced: both mean released.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}
