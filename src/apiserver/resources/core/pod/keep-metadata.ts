import type { ObjectMeta } from "#/api/meta/v1.ts";

/** Metadata that a write through a subresource may not change; managed fields and preconditions are the request's. */
const kept = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Keeps an object's metadata on a write through a subresource.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go (ResetObjectMetaForStatus).
 */
export function keepMetadata(
  object: { metadata: ObjectMeta },
  old: { metadata: ObjectMeta },
): void {
  const metadata = { ...object.metadata };
  for (const field of kept) {
    delete metadata[field];
    if (old.metadata[field] !== undefined)
      Object.assign(metadata, { [field]: old.metadata[field] });
  }
  object.metadata = metadata;
}
