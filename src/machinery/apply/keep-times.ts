import { deepEqual } from "../objects/deep-equal.ts";
import {
  isJsonObject,
  type JsonObject,
  ownValue,
  withKey,
  withoutKey,
} from "../patch/values/json-value.ts";
import { metadataOf, withManagedFields } from "./object-metadata.ts";

/**
 * The object to store. If only the times in managedFields would change, it keeps the times of the
 * live object, so that a write without changes is no write.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go.
 */
export function keepTimes(live: JsonObject, next: JsonObject): JsonObject {
  const [before, after] = [live, next].map((object) =>
    ownValue(metadataOf(object), "managedFields"),
  );
  if (before === after || !Array.isArray(before) || !Array.isArray(after)) return next;
  if (before.length !== after.length || after.length === 0) return next;
  if (!deepEqual(before.map(withoutTime), after.map(withoutTime))) return next;
  const same = deepEqual(withManagedFields(live, undefined), withManagedFields(next, undefined));
  return same
    ? withKey(next, "metadata", withKey(metadataOf(next), "managedFields", before))
    : next;
}

const withoutTime = (entry: unknown): unknown =>
  isJsonObject(entry) ? withoutKey(entry, "time") : entry;
