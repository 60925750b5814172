import { goValue } from "./values/go-value.ts";
import { isJsonObject, type JsonObject, ownValue } from "./values/json-value.ts";

/**
 * What a client demands of a patch it is about to send.
 *
 * Upstream: apimachinery/pkg/util/mergepatch.
 */

/** Whether a patch is acceptable. */
export type Precondition = (patch: JsonObject) => boolean;

/** Refuses a patch that touches a field of the object's root. */
export const requireKeyUnchanged =
  (key: string): Precondition =>
  (patch) =>
    !Object.hasOwn(patch, key);

/** Refuses a patch that touches a field of metadata. */
export const requireMetadataKeyUnchanged =
  (key: string): Precondition =>
  (patch) => {
    const metadata = ownValue(patch, "metadata");
    return !isJsonObject(metadata) || !Object.hasOwn(metadata, key);
  };

/** A patch that a precondition refused. */
export class PreconditionFailed extends Error {
  override readonly name = "PreconditionFailed";

  constructor(patch: JsonObject) {
    super(`precondition failed for: ${goValue(patch)}`);
  }
}

/** Throws PreconditionFailed unless all hold. */
export function checkPreconditions(
  patch: JsonObject,
  preconditions: readonly Precondition[],
): void {
  if (!preconditions.every((holds) => holds(patch))) throw new PreconditionFailed(patch);
}
