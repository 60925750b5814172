import type { ObjectMeta } from "#/api/meta/v1.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";

const kept = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

/** A write through a status that may not touch metadata either. Upstream: apimachinery/pkg/apis/meta/v1/helpers.go. */
export function keepMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  for (const field of kept) {
    if (old[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: deepCopy(old[field]) });
  }
}
