/** Upstream: pkg/controller/statefulset/stateful_set_utils.go (isClaimOwnerUpToDate). */
import { type StatefulSet, statefulSets } from "#/api/apps/v1.ts";
import { type PersistentVolumeClaim, type Pod, pods } from "#/api/core/v1.ts";
import type { ObjectMeta, OwnerReference } from "#/api/meta/v1.ts";
import { controllerReference } from "#/machinery/meta/owner-references.ts";
import { isInRange } from "./identity.ts";

type Named = { readonly metadata: ObjectMeta };

/** Whether a reference names this object, or another one of its name. */
const names = (reference: OwnerReference, owner: Named, apiVersion: string, kind: string) =>
  reference.apiVersion === apiVersion &&
  reference.kind === kind &&
  reference.name === owner.metadata.name;

const isSet = (reference: OwnerReference, set: StatefulSet): boolean =>
  names(reference, set, "apps/v1", "StatefulSet");
const isPod = (reference: OwnerReference, pod: Pod): boolean => names(reference, pod, "v1", "Pod");

/** Whether a claim is owned by a former Pod of that name, and will be deleted with it. */
export function isStale(claim: PersistentVolumeClaim, pod: Pod): boolean {
  const reference = claim.metadata.ownerReferences?.find((one) => isPod(one, pod));
  return reference !== undefined && reference.uid !== pod.metadata.uid;
}

function isStaleOfSet(claim: PersistentVolumeClaim, set: StatefulSet): boolean {
  const reference = claim.metadata.ownerReferences?.find((one) => isSet(one, set));
  return reference !== undefined && reference.uid !== set.metadata.uid;
}

/** Whether another controller owns a claim that the policy assigns to us. */
export function hasOtherController(
  { metadata }: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): boolean {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (whenScaled !== "Delete" && whenDeleted !== "Delete") return false;
  return (metadata.ownerReferences ?? []).some((one) => {
    if (isSet(one, set)) return one.uid !== set.metadata.uid;
    if (isPod(one, pod)) return one.uid !== pod.metadata.uid;
    return one.controller === true;
  });
}

const policyOf = ({ spec }: StatefulSet) => spec.persistentVolumeClaimRetentionPolicy ?? {};

/** The desired owners of a claim, with which it is deleted; undefined if it has them. */
export function ownersToSet(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): OwnerReference[] | undefined {
  if (isStaleOfSet(claim, set) || isStale(claim, pod)) return undefined;
  const references = claim.metadata.ownerReferences ?? [];
  const own = references.filter((one) => isSet(one, set) || isPod(one, pod));
  const others = references.filter((one) => !own.includes(one));
  if (hasOtherController(claim, set, pod)) return own.length > 0 ? others : undefined;
  const desired = desiredOwner(set, pod);
  const [only] = own;
  const isRight = desired
    ? own.length === 1 && only?.uid === desired.uid && only.controller === true
    : own.length === 0;
  if (isRight) return undefined;
  return desired ? [...others, desired] : others;
}

function desiredOwner(set: StatefulSet, pod: Pod): OwnerReference | undefined {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (whenScaled === "Delete" && !isInRange(pod, set)) return controllerReference(pod, pods);
  return whenDeleted === "Delete" ? controllerReference(set, statefulSets) : undefined;
}
