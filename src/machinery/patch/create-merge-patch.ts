import { deepEqual } from "../objects/deep-equal.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { checkPreconditions, type Precondition } from "./preconditions.ts";
import { isJsonObject, type JsonObject, ownValue } from "./values/json-value.ts";

/**
 * Creates merge patches from documents, for clients.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/jsonmergepatch,
 * vendor/gopkg.in/evanphx/json-patch.v4/merge.go.
 */

/** A merge patch that changes the original document to the modified one. */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch = new Map<string, unknown>();
  for (const [key, value] of Object.entries(modified)) {
    const change = changeOf(ownValue(original, key), value);
    if (change !== undefined) patch.set(key, change);
  }
  for (const key of Object.keys(original)) if (!Object.hasOwn(modified, key)) patch.set(key, null);
  return Object.fromEntries(patch);
}

function changeOf(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after))
    return deepEqual(before, after) ? undefined : after;
  const patch = createMergePatch(before, after);
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** The documents of a three-way patch. */
export interface ThreeWayDocuments {
  /** The configuration that the client sent last time. */
  readonly original: JsonObject;
  /** The configuration that the client applies now. */
  readonly modified: JsonObject;
  /** The object on the server. */
  readonly current: JsonObject;
}

/**
 * A merge patch that sets all fields of `modified`, removes fields of `original` that `modified`
 * lacks, and keeps fields that others added to `current`. Throws PreconditionFailed.
 */
export function createThreeWayMergePatch(
  { original, modified, current }: ThreeWayDocuments,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  const changes = onlyChanges(createMergePatch(current, modified));
  const deletions = onlyDeletions(createMergePatch(original, modified));
  const patch = applyMergePatch(deletions, changes) as JsonObject;
  checkPreconditions(patch, preconditions);
  return patch;
}

function onlyChanges(patch: JsonObject): JsonObject {
  return filtered(patch, (value) => {
    if (value === null) return undefined;
    if (!isJsonObject(value) || isEmpty(value)) return value;
    return unlessEmpty(onlyChanges(value));
  });
}

function onlyDeletions(patch: JsonObject): JsonObject {
  return filtered(patch, (value) => {
    if (value === null) return null;
    return isJsonObject(value) ? unlessEmpty(onlyDeletions(value)) : undefined;
  });
}

/** The entries changed by the function; those that become undefined are dropped. */
function filtered(patch: JsonObject, keep: (value: unknown) => unknown): JsonObject {
  const entries = Object.entries(patch).map(([key, value]) => [key, keep(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const isEmpty = (object: JsonObject): boolean => Object.keys(object).length === 0;

const unlessEmpty = (object: JsonObject): JsonObject | undefined =>
  isEmpty(object) ? undefined : object;
