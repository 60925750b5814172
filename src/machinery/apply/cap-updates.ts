import { compareText } from "#/std/text/compare-text.ts";
import { emptyFieldSet, type FieldSet } from "./field-set.ts";
import {
  type Manager,
  type ManagerIdentity,
  type Managers,
  managerId,
  seconds,
} from "./managers.ts";

/** Limit of managers with operation Update per object (count). */
const maximumUpdateManagers = 10;

/** The manager that gets the fields of the oldest updates above the limit. */
const ancientChanges = "ancient-changes";

/**
 * Merges the oldest Update managers of the same version until their number is within the limit.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/capmanagers.go.
 */
export function capUpdates(managers: Managers): Managers {
  const updates = [...managers].filter(([, { operation }]) => operation === "Update");
  if (updates.length <= maximumUpdateManagers) return managers;
  updates.sort(([idA, a], [idB, b]) => seconds(a.time) - seconds(b.time) || compareText(idA, idB));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  const joined = new Map<string, FieldSet[]>();
  let count = updates.length;
  for (const [id, manager] of updates) {
    if (count <= maximumUpdateManagers) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    joinBucket(capped, joined, first, [id, manager]);
    count--;
  }
  for (const [id, sets] of joined) {
    const bucket = capped.get(id);
    if (bucket) capped.set(id, { ...bucket, set: unionOf(sets) });
  }
  return capped;
}

/**
 * Moves a manager into the bucket of its version; the bucket starts with the version's oldest
 * manager. The sets of a bucket are joined later, all together.
 */
function joinBucket(
  managers: Map<string, Manager>,
  joined: Map<string, FieldSet[]>,
  first: string,
  [id, manager]: readonly [string, Manager],
): void {
  const identity: ManagerIdentity = {
    name: ancientChanges,
    operation: "Update",
    apiVersion: manager.apiVersion,
    subresource: "",
  };
  const bucketId = managerId(identity);
  const bucket = managers.get(bucketId) ?? managers.get(first);
  if (!managers.has(bucketId)) managers.delete(first);
  const sets = joined.get(bucketId) ?? (bucket ? [bucket.set] : []);
  sets.push(manager.set);
  joined.set(bucketId, sets);
  managers.delete(id);
  managers.set(bucketId, { ...identity, set: manager.set, time: manager.time });
}

/** The fields in any of the sets. Joined in pairs: one after the other would copy the result each time. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptyFieldSet, second] = sets;
  if (!second) return first;
  const middle = sets.length >> 1;
  return unionOf(sets.slice(middle)).union(unionOf(sets.slice(0, middle)));
}
