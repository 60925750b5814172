import type { VersionedResource } from "./served-resource.ts";
import { setDefaults } from "./set-defaults.ts";
import type { ApiObject } from "./strategy.ts";

/**
 * A decoded object with its defaults, in the stored version. Takes ownership of the object. Without changes since it
 * was read, it gets no defaults of the version it was read in. `old`, if there is one, is the stored object.
 */
export async function completeObject(
  target: VersionedResource,
  object: ApiObject,
  {
    isChanged = true,
    old,
  }: { readonly isChanged?: boolean; readonly old?: ApiObject | undefined } = {},
): Promise<ApiObject> {
  if (isChanged) target.version.setDefaults?.(object);
  const stored = await target.toStored(object);
  setDefaults(target.resource.declaration, stored, old);
  if (target.resource.declaration.managedVersions && stored !== object)
    requestViews.set(stored, object);
  return stored;
}

/** Not a memo: the bodies of custom objects as clients sent them, by the object each was converted to. */
const requestViews = new WeakMap<ApiObject, ApiObject>();

/**
 * An object as the client sent it, if it was converted: conversion may add or drop fields that the client does not
 * know. Undefined if the version of the request is made from the object itself.
 */
export function requestViewOf(stored: ApiObject): ApiObject | undefined {
  const view = requestViews.get(stored);
  if (!view) return undefined;
  const { labels, annotations, ...metadata } = stored.metadata;
  const sent = view.metadata;
  return {
    ...view,
    metadata: {
      ...metadata,
      ...(sent.labels ? { labels: sent.labels } : {}),
      ...(sent.annotations ? { annotations: sent.annotations } : {}),
    },
  };
}

/** Associates a copy of an object with the body that the client sent for the original. */
export function keepRequestView(copy: ApiObject, stored: ApiObject): void {
  const view = requestViews.get(stored);
  if (view) requestViews.set(copy, view);
}
