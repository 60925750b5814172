import type { Resource } from "#/api/base/resource.ts";

/** Identifies an object of a resource. */
export interface ObjectRef {
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
}

/** The path of a resource: in all namespaces or in one, of one object, or of a subresource. */
export function resourcePath(
  { group, version, name: plural, namespaced }: Resource,
  { namespace, name }: Partial<ObjectRef> = {},
  subresource?: string,
): string {
  const parts = [group === "" ? "/api" : `/apis/${group}`, version];
  if (namespaced && namespace) parts.push("namespaces", encodeURIComponent(namespace));
  parts.push(plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource) parts.push(...subresource.split("/").map(encodeURIComponent));
  return parts.join("/");
}
