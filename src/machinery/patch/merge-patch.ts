import { runSteps, type Steps } from "#/std/base/steps.ts";
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
  return runSteps(mergePatchSteps(document, patch));
}

/** The same in steps, for large patches. */
export function* mergePatchSteps(document: JsonObject, patch: unknown): Steps<unknown> {
  if (typeof patch !== "object" || patch === null) throw new PatchError(400, "Invalid JSON Patch");
  if (exceedsDepth(patch)) throw new PatchError(400, "exceeded max depth");
  yield;
  return isJsonObject(patch) ? yield* mergeObjects(document, patch) : withoutNulls(patch);
}

/** Members that are merged in one step (count). */
const membersPerStep = 4_096;

function* mergeObjects(current: JsonObject, patch: JsonObject): Steps<JsonObject> {
  const merged: Record<string, unknown> = { ...current };
  let left = membersPerStep;
  for (const key in patch) {
    const value = patch[key];
    const old = ownValue(current, key);
    if (value === null || value === undefined) delete merged[key];
    else if (!isJsonObject(old)) setKey(merged, key, withoutNulls(value));
    else setKey(merged, key, isJsonObject(value) ? yield* mergeObjects(old, value) : value);
    if (--left > 0) continue;
    left = membersPerStep;
    yield;
  }
  return merged;
}

/** A value without the nulls in its objects; nulls in lists are kept. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutNulls(part)]));
}
