import type { PersistentVolumeClaim, ScopedResourceSelectorRequirement } from "#/api/core/v1.ts";
import { parseQuantity, type Quantity } from "../values/quantity.ts";
import type { ResourceList } from "../values/resource-list.ts";
import { objectCountName, one, type QuotaEvaluator } from "./quota-evaluator.ts";
import { scopeSelector } from "./scopes.ts";

const countName = objectCountName("", "persistentvolumeclaims");
const claims = "persistentvolumeclaims";
const storage = "requests.storage";
const byClass = ".storageclass.storage.k8s.io/";
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/**
 * Evaluates PersistentVolumeClaims. Upstream:
 * pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
 */
export const volumeClaimEvaluator: QuotaEvaluator<PersistentVolumeClaim> = {
  matchingResources: (limited) =>
    [...limited].filter(
      (name) =>
        [countName, claims, storage].includes(name) ||
        name.endsWith(byClass + claims) ||
        name.endsWith(byClass + storage),
    ),
  usage: claimUsage,
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === "") return operation === "CREATE" || operation === "UPDATE";
    return subresource === "status" && oldObject !== undefined && changesUsage(object, oldObject);
  },
  matchesScope(selector, claim) {
    if (selector.scopeName !== "VolumeAttributesClass") return false;
    return matchesAttributesClass(selector, claim);
  },
};

function claimUsage(claim: PersistentVolumeClaim): ResourceList {
  const usage: ResourceList = new Map([
    [claims, one],
    [countName, one],
  ]);
  const className =
    claim.metadata?.annotations?.[classAnnotation] ?? claim.spec?.storageClassName ?? "";
  if (className !== "") usage.set(className + byClass + claims, one);
  const size = sizeOf(claim);
  if (!size) return usage;
  usage.set(storage, size);
  if (className !== "") usage.set(className + byClass + storage, size);
  return usage;
}

/** The requested size, or the allocated size if that is larger. */
function sizeOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const text = spec?.resources?.requests?.["storage"];
  if (text === undefined) return undefined;
  const asked = parseQuantity(String(text)).roundUp(0);
  const allocated = status?.allocatedResources?.["storage"];
  if (allocated === undefined) return asked;
  const before = parseQuantity(String(allocated));
  return before.compare(asked) > 0 ? before.roundUp(0) : asked;
}

function changesUsage(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const allocated = ({ status }: PersistentVolumeClaim) =>
    parseQuantity(String(status?.allocatedResources?.["storage"] ?? "0"));
  if (!allocated(claim).equals(allocated(old))) return true;
  const names = attributesClasses(claim);
  const before = attributesClasses(old);
  return names.size !== before.size || [...names].some((name) => !before.has(name));
}

function matchesAttributesClass(
  selector: ScopedResourceSelectorRequirement,
  claim: PersistentVolumeClaim,
): boolean {
  const names = attributesClasses(claim);
  if (selector.operator === "Exists") return names.size > 0;
  const compiled = scopeSelector(selector);
  if (names.size === 0) return compiled.matches({});
  return [...names].some((name) => compiled.matches({ [selector.scopeName]: name }));
}

/** Every VolumeAttributesClass of the volume: the current, the requested and the target one. */
function attributesClasses({ spec, status }: PersistentVolumeClaim): ReadonlySet<string> {
  const all = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return new Set(all.flatMap((name) => (name ? [name] : [])));
}
