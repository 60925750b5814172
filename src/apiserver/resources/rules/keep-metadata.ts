import type { ObjectMeta } from "#/api/meta/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";

const kept = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/**
 * Status writes that may not change metadata either.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go.
 */
export function keepMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  for (const field of kept) {
    if (old[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: deepCopy(old[field]) });
  }
}
