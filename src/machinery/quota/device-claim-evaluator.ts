import type { Pod } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import type { ResourceClaim } from "#/api/resource/v1.ts";
import { findControllerReference } from "../meta/owner-references.ts";
import { type Quantity, quantityOf } from "../values/quantity.ts";
import { addResources, type ResourceList, raiseResources } from "../values/resource-list.ts";
import { isExtendedQuotaName, podUsage } from "./pod-evaluator.ts";
import { objectCountName, one, type QuotaEvaluator } from "./quota-evaluator.ts";

/** Lookups that are needed to compute the usage of a ResourceClaim. */
export interface DeviceLookups {
  /** The extended resource name of a device class. */
  extendedResourceOf(deviceClass: string): string | undefined;
  /** Whether an extended resource, without "requests.", belongs to a device class. */
  isDeviceClass(extendedResource: string): boolean;
  findPod(namespace: string, name: string): Pod | undefined;
  /** The claims that were created for a pod's extended resources. */
  claimsOf(namespace: string, podUid: string): Iterable<ResourceClaim>;
  now(): number;
}

const countName = objectCountName("resource.k8s.io", "resourceclaims");
const perClass = ".deviceclass.resource.k8s.io/devices";
const implicitPrefix = "requests.deviceclass.resource.kubernetes.io/";
const requestsPrefix = "requests.";
const extendedAnnotation = "resource.kubernetes.io/extended-resource-claim";
/** Usage of a claim for all devices (count): the limit of devices per claim. */
const maxDevices = 32;

/** Evaluates ResourceClaims. Upstream: pkg/quota/v1/evaluator/core/resource_claims.go. */
export function deviceClaimEvaluator(lookups: DeviceLookups): QuotaEvaluator<ResourceClaim> {
  return {
    matchingResources: (limited) => [...limited].filter((name) => concernsClaims(name, lookups)),
    handles: ({ operation, subresource }) =>
      subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
    usage(claim) {
      const usage = devicesOf(claim);
      addExtended(usage, usageOfOwner(claim, lookups), lookups);
      return usage;
    },
  };
}

function concernsClaims(name: string, lookups: DeviceLookups): boolean {
  if (name === countName || name.endsWith(perClass)) return true;
  if (name.startsWith(implicitPrefix)) {
    if (lookups.extendedResourceOf(name.slice(implicitPrefix.length))) return true;
  }
  return isExtendedQuotaName(name) && lookups.isDeviceClass(name.slice(requestsPrefix.length));
}

interface DeviceRequestCount {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

function devicesOf({ spec }: ResourceClaim): ResourceList {
  const usage: ResourceList = new Map([[countName, one]]);
  for (const { firstAvailable = [], exactly } of spec.devices?.requests ?? []) {
    const most: ResourceList = new Map();
    const alternatives = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
    for (const alternative of alternatives) {
      raiseResources(
        most,
        new Map([[alternative.deviceClassName + perClass, countOf(alternative)]]),
      );
    }
    addResources(usage, most);
  }
  return usage;
}

function countOf({ allocationMode, count = 0 }: DeviceRequestCount): Quantity {
  if (allocationMode === "ExactCount") return quantityOf(count);
  return quantityOf(allocationMode === "All" ? maxDevices : 0);
}

/**
 * Devices also count as extended resources, except for those that are already counted for their
 * pod.
 */
function addExtended(usage: ResourceList, counted: ResourceList, lookups: DeviceLookups): void {
  for (const [name, quantity] of [...usage]) {
    if (!name.endsWith(perClass)) continue;
    const deviceClass = name.slice(0, -perClass.length);
    const extended = lookups.extendedResourceOf(deviceClass);
    const names = [implicitPrefix + deviceClass];
    if (extended) names.push(requestsPrefix + extended);
    for (const alias of names) {
      const other = counted.get(alias);
      const rest = other ? quantity.sub(other) : quantity;
      if (rest.sign > 0) usage.set(alias, rest);
    }
  }
}

/** Whether an owner reference is to a Pod. */
function isPod({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  return `${apiVersion}/${kind}` === `v1/${pods.kind}`;
}

/**
 * The usage of the pod for whose extended resources a claim was created, if the reference is valid.
 */
function usageOfOwner(claim: ResourceClaim, lookups: DeviceLookups): ResourceList {
  const none: ResourceList = new Map();
  const { namespace = "", name, annotations } = claim.metadata ?? {};
  if (annotations?.[extendedAnnotation] !== "true") return none;
  const owner = findControllerReference(claim);
  if (!owner || !isPod(owner)) return none;
  const pod = lookups.findPod(namespace, owner.name);
  if (!pod || pod.metadata?.uid !== owner.uid) return none;
  const claimed = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  if (claimed !== undefined && claimed !== name) return none;
  if (claimed === undefined && !isOldest(claim, lookups.claimsOf(namespace, owner.uid)))
    return none;
  return podUsage(pod, lookups.now());
}

/** If a pod has several claims, only the oldest is counted as the pod's. */
function isOldest({ metadata }: ResourceClaim, others: Iterable<ResourceClaim>): boolean {
  const { creationTimestamp: created = "", name = "" } = metadata ?? {};
  for (const other of others) {
    const { creationTimestamp = "", name: otherName = "" } = other.metadata ?? {};
    if (creationTimestamp < created) return false;
    if (creationTimestamp === created && otherName < name) return false;
  }
  return true;
}
