import type { VersionedResource } from "./served-resource.ts";
import type { ApiObject } from "./strategy.ts";

/** A decoded object with its defaults, in the stored version. Takes the object over. */
export async function completeObject(
  target: VersionedResource,
  object: ApiObject,
): Promise<ApiObject> {
  target.version.setDefaults?.(object);
  const stored = await target.toStored(object);
  target.resource.declaration.setDefaults?.(stored);
  return stored;
}
