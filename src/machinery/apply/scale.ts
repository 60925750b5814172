import type { JsonObject } from "../patch/values/json-value.ts";
import { FieldSet } from "./field-set.ts";
import { decodeManagers, encodeManagers, type Manager } from "./managers.ts";
import { fieldElement, type PathElement } from "./path-element.ts";

/**
 * managedFields between a resource and its scale subresource, whose object is a Scale with fields
 * of its own.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
 */
interface ScaleMapping {
  /** apiVersion of the resource in the request: apps/v1. */
  readonly apiVersion: string;
  /**
   * Path of the replicas in each version of the resource, by field names: ["spec", "replicas"].
   * Null for a version that cannot be scaled; managers of a missing version are dropped.
   */
  readonly replicasPaths: ReadonlyMap<string, readonly string[] | null>;
}

const scaleVersion = "autoscaling/v1";
const scaleReplicas = ["spec", "replicas"].map(fieldElement);

type Entries = readonly JsonObject[] | undefined;

/** The managedFields of the Scale: the managers of the resource's replicas. Throws SyntaxError. */
export function managedFieldsOfScale(parent: unknown, { replicasPaths }: ScaleMapping): Entries {
  const managers = new Map<string, Manager>();
  for (const [id, manager] of decodeManagers(parent)) {
    const path = replicasPaths.get(manager.apiVersion);
    if (!path || !manager.set.has(path.map(fieldElement))) continue;
    managers.set(id, { ...manager, apiVersion: scaleVersion, set: FieldSet.of(scaleReplicas) });
  }
  return encodeManagers(managers);
}

/** The managedFields of the resource after a write to its Scale. Throws SyntaxError. */
export function managedFieldsAfterScale(
  parent: unknown,
  scale: unknown,
  { apiVersion, replicasPaths }: ScaleMapping,
): Entries {
  const owners = new Map(decodeManagers(scale));
  const before = decodeManagers(parent);
  const managers = new Map<string, Manager>();
  for (const [id, manager] of before) {
    const path = replicasPaths.get(manager.apiVersion);
    if (path === undefined) continue;
    const elements = path?.map(fieldElement);
    const kept = keepReplicas(manager, elements, owners.has(id));
    if (kept) managers.set(id, kept);
    if (elements && manager.set.has(elements)) owners.delete(id);
  }
  const path = replicasPaths.get(apiVersion) ?? scaleReplicas.map((element) => element.slice(2));
  for (const [id, manager] of owners) {
    if (!manager.set.has(scaleReplicas)) continue;
    const set = FieldSet.of(path.map(fieldElement));
    // As upstream, an existing manager keeps its previous time.
    managers.set(id, { ...manager, apiVersion, set, time: before.get(id)?.time });
  }
  return encodeManagers(managers);
}

/**
 * The manager without the replicas if another manager owns them now; undefined if it has no fields
 * left.
 */
function keepReplicas(
  manager: Manager,
  path: readonly PathElement[] | undefined,
  stillOwner: boolean,
): Manager | undefined {
  if (!path || stillOwner || !manager.set.has(path)) return manager;
  const set = manager.set.difference(FieldSet.of(path));
  return set.isEmpty ? undefined : { ...manager, set };
}
