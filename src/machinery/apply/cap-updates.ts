import { compareText } from "#/std/text/compare-text.ts";
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
  let count = updates.length;
  for (const [id, manager] of updates) {
    if (count <= maximumUpdateManagers) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    joinBucket(capped, first, id, manager);
    count--;
  }
  return capped;
}

/**
 * Moves a manager into the bucket of its version; the bucket starts with the version's oldest
 * manager.
 */
function joinBucket(
  managers: Map<string, Manager>,
  first: string,
  id: string,
  manager: Manager,
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
  const set = bucket ? manager.set.union(bucket.set) : manager.set;
  managers.delete(id);
  managers.set(bucketId, { ...identity, set, time: manager.time });
}
