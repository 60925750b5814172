import type { Resource } from "#/api/base/resource.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";

/** The fields of an owner that a reference needs. */
export interface Owner {
  readonly metadata: Pick<ObjectMeta, "name" | "uid">;
}

/** A plain reference to an owner. */
export function ownerReference(
  { metadata }: Owner,
  { group, version, kind }: Pick<Resource, "group" | "version" | "kind">,
): OwnerReference {
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
  };
}
