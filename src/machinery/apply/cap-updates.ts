import { compareText } from "#/std/text/compare-text.ts";
import {
  type Manager,
  type ManagerIdentity,
  type Managers,
  managerId,
  seconds,
} from "./managers.ts";

/** How many managers by update an object may have. */
const maximumUpdateManagers = 10;

/** Who manages what the oldest updates set, once there are too many. */
const ancientChanges = "ancient-changes";

/**
 * Joins the oldest managers by update, those of a version with each other, until there are no more than may be.
 *
 * Upstream: apimachinery/pkg/util/managedfields/internal/capmanagers.go.
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

/** Moves a manager into the bucket of its version; the bucket begins with the version's oldest. */
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
