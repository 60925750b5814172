import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { ObjectRef } from "./resource-path.ts";

const noMeta: ObjectMeta = {};

/** The metadata of any API object; empty if it has none. */
export function metaOf(object: unknown): ObjectMeta {
  return (object as { metadata?: ObjectMeta } | undefined)?.metadata ?? noMeta;
}

/** Name and namespace of an object. */
export function refOf(object: unknown): Required<ObjectRef> {
  const { name = "", namespace } = metaOf(object);
  return { name, namespace };
}

/** "namespace/name", or "name" without a namespace: the key of an object in stores and queues. */
export function keyOf(object: unknown): string {
  const { name = "", namespace = "" } = metaOf(object);
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The key of a reference. */
export function refKey({ name, namespace }: ObjectRef): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The reference of a key. */
export function parseKey(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
