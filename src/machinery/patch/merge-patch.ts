import {
  exceedsDepth,
  isJsonObject,
  type JsonObject,
  ownValue,
  setKey,
} from "./values/json-value.ts";
import { PatchError } from "./values/patch-error.ts";

/**
 * JSON Merge Patch (RFC 7386) as kube-apiserver applies it. It differs from the RFC: nulls are also
 * removed from objects inside lists, if the list replaces a value that was not an object.
 *
 * Upstream: vendor/gopkg.in/evanphx/json-patch.v4/merge.go.
 */

/**
 * The document after the patch; throws PatchError. If the patch is a list it replaces the document.
 */
export function applyMergePatch(document: JsonObject, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null) throw new PatchError(400, "Invalid JSON Patch");
  if (exceedsDepth(patch)) throw new PatchError(400, "exceeded max depth");
  return isJsonObject(patch) ? mergeObjects(document, patch) : withoutNulls(patch);
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else setKey(merged, key, mergeValues(ownValue(current, key), value));
  }
  return merged;
}

function mergeValues(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch;
}

/** A value without the nulls in its objects; nulls in lists are kept. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutNulls(part)]));
}
