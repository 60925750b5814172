import { goValue } from "./values/go-value.ts";
import { isJsonObject, type JsonObject, ownValue } from "./values/json-value.ts";

/**
 * Preconditions that a client checks before it sends a patch.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/mergepatch.
 */

/** Whether a patch is acceptable. */
export type Precondition = (patch: JsonObject) => boolean;

/** Rejects a patch that changes a field of the object's root. */
export const requireKeyUnchanged =
  (key: string): Precondition =>
  (patch) =>
    !Object.hasOwn(patch, key);

/** Rejects a patch that changes a field of metadata. */
export const requireMetadataKeyUnchanged =
  (key: string): Precondition =>
  (patch) => {
    const metadata = ownValue(patch, "metadata");
    return !isJsonObject(metadata) || !Object.hasOwn(metadata, key);
  };

/** A patch that a precondition rejected. */
export class PreconditionFailed extends Error {
  override readonly name = "PreconditionFailed";

  constructor(patch: JsonObject) {
    super(`precondition failed for: ${goValue(patch)}`);
  }
}

/** Throws PreconditionFailed unless all are met. */
export function checkPreconditions(
  patch: JsonObject,
  preconditions: readonly Precondition[],
): void {
  if (!preconditions.every((holds) => holds(patch))) throw new PreconditionFailed(patch);
}
