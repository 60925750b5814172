import type { VersionedResource } from "./served-resource.ts";
import { setDefaults } from "./set-defaults.ts";
import type { ApiObject } from "./strategy.ts";

/**
 * A decoded object with its defaults, in the stored version. Takes the object over. What was read and has not been changed
 * gets no defaults of the version it was read in. The old version, if there is one, is the stored object.
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

/** No memo: what clients have sent of custom objects, noted beside the object that it was converted to. */
const requestViews = new WeakMap<ApiObject, ApiObject>();

/**
 * An object as the client sent it, where it has been converted: fields may have come or gone that the client knows nothing of.
 * Undefined where the version of the request is made from the object itself.
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

/** Lets a copy of an object be known by what the client sent of the first. */
export function keepRequestView(copy: ApiObject, stored: ApiObject): void {
  const view = requestViews.get(stored);
  if (view) requestViews.set(copy, view);
}
