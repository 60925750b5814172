import type { Schema } from "#/api/base/schema.ts";
import type { ThreeWayDocuments } from "./create-merge-patch.ts";
import { PatchConflict } from "./patch-conflict.ts";
import { checkPreconditions, type Precondition } from "./preconditions.ts";
import { mapsConflict } from "./strategic/conflicts.ts";
import { diffMaps } from "./strategic/diff.ts";
import { mergeMaps } from "./strategic/merge.ts";
import type { JsonObject } from "./values/json-value.ts";

/**
 * Creates strategic merge patches from documents, for clients.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch.
 */

/**
 * A patch that changes the original document to the modified one; throws PatchError or
 * PreconditionFailed.
 */
export function createStrategicMergePatch(
  schema: Schema,
  documents: { readonly original: JsonObject; readonly modified: JsonObject },
  preconditions: readonly Precondition[] = [],
): JsonObject {
  const patch = diffMaps(documents.original, documents.modified, schema, { setElementOrder: true });
  checkPreconditions(patch, preconditions);
  return patch;
}

/**
 * A patch that sets all fields of `modified`, removes fields of `original` that `modified` lacks,
 * and keeps fields that others added to `current`. Unless it may overwrite, throws PatchConflict if
 * others have changed the same fields.
 */
export function createThreeWayStrategicMergePatch(
  schema: Schema,
  { original, modified, current }: ThreeWayDocuments,
  options: { readonly overwrite: boolean; readonly preconditions?: readonly Precondition[] },
): JsonObject {
  const changes = diffMaps(current, modified, schema, {
    ignoreDeletions: true,
    setElementOrder: true,
  });
  const deletions = diffMaps(original, modified, schema, {
    ignoreChanges: true,
    setElementOrder: true,
  });
  const patch = mergeMaps(deletions, changes, schema, { intoDocument: false });
  checkPreconditions(patch, options.preconditions ?? []);
  if (!options.overwrite) {
    const changed = diffMaps(original, current, schema, {});
    if (mapsConflict(patch, changed, schema)) throw new PatchConflict(patch, changed);
  }
  return patch;
}
