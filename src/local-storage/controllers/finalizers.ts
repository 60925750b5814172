import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Client } from "#/client/client.ts";
import { refOf } from "#/client/object-key.ts";

interface Finalized {
  readonly metadata: ObjectMeta;
}

/** Adds a finalizer to an object, or returns it as it is. */
export async function addFinalizer<T extends Finalized>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return await patchFinalizers(client, resource, object, [...finalizers, finalizer]);
}

/** Removes a finalizer from an object, which may then be gone. */
export async function removeFinalizer<T extends Finalized>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return object;
  const rest = finalizers.filter((one) => one !== finalizer);
  return await patchFinalizers(client, resource, object, rest);
}

/** Fails with a conflict if the object has changed. */
async function patchFinalizers<T extends Finalized>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizers: readonly string[],
): Promise<T> {
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { finalizers, resourceVersion } };
  return await client.patch(resource, refOf(object), patch, { type: "merge" });
}
